/* orr_engine_verify: what the checker of the store finds, as a list of sentences. */
#include "../engine.h"
#include "../uow/verify.h"

static void add_problem(void *ud, const char *sentence) {
  orr_value text = orr_string(sentence);
  orr_builder_add(ud, &text);
}

int orr_engine_verify(orr_engine *engine, orr_builder *out, orr_error *err) {
  verify_counts counts;
  orr_builder_array(out);
  int rc = store_verify(engine->units, add_problem, out, &counts, err);
  orr_builder_end(out);
  return rc;
}
