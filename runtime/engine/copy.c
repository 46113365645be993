/* orr_engine_copy_to: a copy of the store below, beside whatever the engine does. */
#include "base/error.h"
#include "base/options.h"
#include "engine/engine.h"
#include "store/copy.h"

int orr_engine_copy_to(orr_engine *engine, const char *path, const orr_copy_options *given, orr_error *err) {
  orr_copy_options options;
  if (!options_take(&options, sizeof options, given, err)) return ORR_E_ARGUMENT;
  if (!path || !path[0]) return error_set(err, ORR_E_ARGUMENT, "copying needs the path of a folder to be made");
  return store_copy_to(engine->store, &engine->env, path, options.compact, err);
}
