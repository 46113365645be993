/* orr_engine_copy_to: a copy of the store below, beside whatever the engine does. */
#include "base/error.h"
#include "base/null.h"
#include "base/options.h"
#include "engine/engine.h"
#include "store/copy.h"

static void tell_copied(void *ud, uint64_t done, uint64_t total) {
  const orr_copy_options *options = ud;
  options->progress(options->progress_ud, (int64_t)done, (int64_t)total);
}

int orr_engine_copy_to(orr_engine *engine, const char *path, const orr_copy_options *given, orr_error *err) {
  REQUIRE(engine);
  REQUIRE(path);
  orr_copy_options options;
  if (!options_take(&options, sizeof options, given, err)) return ORR_E_ARGUMENT;
  if (!path[0]) return error_set(err, ORR_E_ARGUMENT, "copying needs the path of a folder to be made");
  store_progress progress = {tell_copied, &options};
  return store_copy_to(engine->store, &engine->env, path, options.compact, options.progress ? &progress : NULL, err);
}
