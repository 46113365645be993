/* The check of models: what a deployment would say. */
#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/operator/member.h"
#include "server/transport/multipart.h"

int rest_lint(request *q) {
  orr_value resources, problems, entry;
  orr_error err = {0};
  orr_builder *files = request_builder(q), *b = request_builder(q);
  if (!files || !b) return q->status;
  orr_builder_map(files);
  for (const part *p = q->parts; p; p = p->next)
    if (p->filename) orr_builder_put(files, p->filename, orr_bytes(p->data ? p->data : "", p->size));
  orr_builder_end(files);
  if (!rest_value(q, files, &resources)) return q->status;
  if (orr_engine_deployment_check(rest_engine(q), &resources, NULL, b, &err)) return request_fail_engine(q, &err);
  if (!rest_value(q, b, &problems)) return q->status;
  out_open(&q->out, '{');
  out_key(&q->out, "problems");
  out_open(&q->out, '[');
  orr_iterator at = orr_iterate(&problems);
  while (orr_next(&at, NULL, &entry)) {
    static const char *const fields[] = {"resource", "line", "column", "element", "message"};
    orr_value warning = orr_map_get(&entry, "warning");
    out_open(&q->out, '{');
    out_put_text(&q->out, "severity", warning.type == ORR_BOOL && warning.as.boolean ? "warning" : "error");
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
      orr_value value = orr_map_get(&entry, fields[f]);
      member_value(&q->out, fields[f], &value);
    }
    out_close(&q->out, '}');
  }
  out_close(&q->out, ']');
  out_close(&q->out, '}');
  return request_done(q);
}
