/* Records as Camunda's objects. */
#include "server/mapping/dto.h"

#include <string.h>

#include "rest_table.h"
#include "server/transport/scalars.h"

orr_time time_of_value(const orr_value *seconds) {
  orr_time time = orr_milliseconds(seconds);
  return time == ORR_TIME_NONE ? 0 : time;
}

static void dto_write_stored(json_out *out, field_kind kind, const orr_value *value) {
  bool none = value->type == ORR_NIL || value->type == ORR_NULL;
  if (kind == FIELD_BOOL) out_bool(out, value->type == ORR_BOOL && value->as.boolean);
  else if (none) out_null(out);
  else if (kind == FIELD_ID && value->type == ORR_INT) out_id(out, (orr_id)value->as.integer);
  else if (kind == FIELD_TIME) out_time(out, time_of_value(value));
  else out_value(out, value);
}

bool rest_asked(const request *q, const char *name) {
  return request_flag(q, name) || scalar_is_true(body_member(q, name));
}

bool dto_is_listed(const row *r) { return r->request->operation->handle == rest_list; }

/* By one of two switches. */
static bool dto_asked_for(const request *q, const dto_field *f) {
  return rest_asked(q, f->field) || (f->other && rest_asked(q, f->other));
}

static void dto_write_field(const row *r, const dto_field *f, json_out *out) {
  if (f->kind == FIELD_ASKED && !dto_asked_for(r->request, f)) return;
  out_key(out, f->name);
  switch (f->kind) {
    case FIELD_NULL: out_null(out); break;
    case FIELD_FALSE: out_bool(out, false); break;
    case FIELD_ZERO: out_int(out, 0); break;
    case FIELD_EMPTY:
      out_open(out, '[');
      out_close(out, ']');
      break;
    case FIELD_COMPUTED: case FIELD_ASKED: f->compute(r, out); break;
    default: {
      orr_value value = orr_records_get(r->records, r->index, f->field);
      dto_write_stored(out, f->kind, &value);
    }
  }
}

void dto_write_fields(request *q, const dto *shape, const orr_records *records, size_t index) {
  row r = {q, records, index};
  for (size_t i = 0; i < shape->n_fields; i++) dto_write_field(&r, &shape->fields[i], &q->out);
}

void dto_write(request *q, const dto *shape, const orr_records *records, size_t index) {
  out_open(&q->out, '{');
  dto_write_fields(q, shape, records, index);
  out_close(&q->out, '}');
}
