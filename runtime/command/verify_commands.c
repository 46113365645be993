/* orr_engine_verify: what the checkers of the store and of the tokens find, as a list of sentences. */
#include "command/verify_tokens.h"
#include "engine/engine.h"
#include "uow/verify.h"

typedef struct findings {
  orr_engine *engine;
  orr_builder *out;
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

int orr_engine_verify(orr_engine *engine, orr_builder *out, orr_error *err) {
  findings f = {engine, out};
  verify_listener told = {.ud = &f, .problem = add_problem, .instance = verify_one_instance};
  verify_counts counts;
  orr_builder_array(out);
  int rc = store_verify(engine->units, &told, &counts, err);
  orr_builder_end(out);
  return rc;
}
