/* What every operation begins and ends with. */
#include "server/mapping/operation.h"

#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/server_internal.h"

void rest_optional(orr_builder *b, orr_value *out) {
  if (orr_builder_value(b, out, NULL)) *out = (orr_value){0};
}

void rest_order(orr_builder *b, const char *field, const char *direction) {
  orr_value name = orr_string(field), way = orr_string(direction);
  orr_builder_key(b, "order_by", strlen("order_by"));
  orr_builder_array(b);
  orr_builder_array(b);
  orr_builder_add(b, &name);
  orr_builder_add(b, &way);
  orr_builder_end(b);
  orr_builder_end(b);
}

orr_engine *rest_engine(const request *q) { return q->engine->engine; }

bool rest_value(request *q, orr_builder *b, orr_value *out) {
  orr_error err = {0};
  if (!orr_builder_value(b, out, &err)) return true;
  request_fail_engine(q, &err);
  return false;
}

static bool page_number(request *q, const char *name, int64_t otherwise, int64_t *out) {
  const char *text = request_argument(q, name);
  char *end = NULL;
  *out = text ? strtoll(text, &end, 10) : otherwise;
  if (!text || (*text && !*end && *out >= 0)) return true;
  request_refuse(q, "Cannot set query parameter '%s' to value '%s'", name, text);
  return false;
}

bool rest_page(request *q, int64_t *first, int64_t *most) {
  return page_number(q, "firstResult", 0, first) && page_number(q, "maxResults", INT64_MAX, most);
}

bool rest_suspension(request *q, bool *suspend) {
  *suspend = body_bool(q, "suspended", false);
  if (!q->status && !body_given(q, "suspended")) request_refuse(q, "\"suspended\" is expected");
  return !q->status;
}

orr_cascade rest_cascade_of(const request *q) {
  return !request_flag(q, "cascade")              ? ORR_ALONE
         : request_flag(q, "skipCustomListeners") ? ORR_CASCADE_QUIETLY
                                                  : ORR_CASCADE;
}

int rest_end(request *q, int rc, orr_error *err) {
  if (!rc) return request_no_content(q);
  return request_fail_missing(q, err, q->operation->missing_status, q->operation->missing, q->path[0] ? q->path[0] : "");
}

int rest_missing(request *q) {
  orr_error err = {.code = ORR_E_NOT_FOUND};
  return rest_end(q, ORR_E_NOT_FOUND, &err);
}

int rest_unbuilt(request *q) {
  return request_fail(q, 501, "RestException", "This is not built: %s", q->operation->unbuilt);
}
