/* orr_engine_verify: what the checkers of the store and of the tokens find, as a list of sentences. */
#include "base/null.h"
#include "base/options.h"
#include "command/verify_tokens.h"
#include "engine/engine.h"
#include "uow/verify.h"

typedef struct findings {
  orr_engine *engine;
  orr_builder *out;
  orr_verify_options options;
} findings;

static void add_problem(void *ud, const char *sentence) {
  const findings *f = ud;
  orr_value text = orr_string(sentence);
  orr_builder_add(f->out, &text);
}

static int verify_one_instance(void *ud, unit *reader, orr_id instance, orr_error *err) {
  const findings *f = ud;
  return verify_tokens(f->engine, reader, instance, add_problem, ud, err);
}

static void tell_progress_of_check(void *ud, uint64_t done, uint64_t total) {
  const findings *f = ud;
  if (f->options.progress) f->options.progress(f->options.progress_ud, (int64_t)done, (int64_t)total);
}

int orr_engine_verify(orr_engine *engine, const orr_verify_options *given, orr_builder *out, orr_error *err) {
  REQUIRE(engine);
  findings f = {.engine = engine, .out = out};
  if (!options_take(&f.options, sizeof f.options, given, err)) return ORR_E_ARGUMENT;
  verify_listener told = {
      .ud = &f, .problem = add_problem, .instance = verify_one_instance, .progress = {tell_progress_of_check, &f}};
  verify_counts counts;
  orr_builder_array(out);
  int rc = store_verify(engine->units, &told, &counts, err);
  orr_builder_end(out);
  return rc;
}
