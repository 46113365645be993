/* Which dialect a model has, and why: what `lint` and `deploy` tell. */
#include "base/builder.h"
#include "base/null.h"
#include "base/value.h"
#include "command/frame.h"
#include "model/parse/vendors.h"

typedef struct dialect_request {
  const orr_value *model;
  orr_builder *out;
} dialect_request;

static int put_choice(context *c, const xml_element *root, orr_builder *out) {
  dialect_choice choice = dialect_choose((int)c->engine->config.dialect, root, c->arena);
  if (!choice.reason) return context_memory(c);
  orr_builder_put(out, "dialect", orr_string(choice.dialect->name));
  orr_builder_put(out, "reason", orr_string(choice.reason));
  return 0;
}

static int dialect_body(context *c, void *ud) {
  const dialect_request *r = ud;
  xml_element *root = NULL;
  xml_fault fault = {0};
  if (r->model->type != ORR_STRING)
    return context_error(c, ORR_E_ARGUMENT, "a model is a text, not a %s", orr_value_type_name(r->model));
  int rc = xml_parse(c->arena, r->model->as.bytes, r->model->size, &root, &fault);
  if (rc == ORR_E_MEMORY) return context_memory(c);
  orr_builder_map(r->out);
  if (!rc) rc = put_choice(c, root, r->out);
  else rc = 0; /* what is no XML has no dialect; checking it tells why */
  orr_builder_end(r->out);
  return rc;
}

int orr_engine_model_dialect(orr_engine *engine, const orr_value *model, orr_builder *out, orr_error *err) {
  REQUIRE(model);
  dialect_request r = {model, out};
  return command_read(engine, dialect_body, &r, err);
}
