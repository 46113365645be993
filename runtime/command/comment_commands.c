/* Comments and attachments of tasks and instances. Both are history: they stay when the task or the
 * instance has ended, and are deleted with its history. */
#include <inttypes.h>
#include <string.h>

#include "base/builder.h"
#include "base/limits.h"
#include "base/null.h"
#include "base/value.h"
#include "command/operands.h"
#include "command/operations.h"
#include "exec/task/standalone_task.h"
#include "query/results.h"

typedef struct remark_call {
  orr_id id; /* what it belongs to, or the comment or attachment itself */
  const char *text;
  const orr_value *fields;
  orr_records **out;
  orr_builder *bytes;
} remark_call;

/* What a comment or attachment belongs to. */
typedef struct subject {
  orr_id instance, task;
  rec_text tenant;
} subject;

static int find_task_subject(context *c, orr_id id, subject *out) {
  rec_task *t = unit_task(c->u, id, &c->error);
  if (c->error.code) return c->error.code;
  if (t) {
    *out = (subject){t->instance_id, t->id, t->tenant};
    return task_mark_updated(c, t);
  }
  const rec_history_task *row = unit_history_task(c->u, id, &c->error);
  if (row) *out = (subject){row->instance_id, row->id, row->tenant};
  return c->error.code;
}

static int find_instance_subject(context *c, orr_id id, subject *out) {
  const rec_instance *i = unit_instance(c->u, id, &c->error);
  const rec_history_instance *row = i || c->error.code ? NULL : unit_history_instance(c->u, id, &c->error);
  if (i) *out = (subject){.instance = id, .tenant = i->tenant};
  else if (row) *out = (subject){.instance = id, .tenant = row->tenant};
  return c->error.code;
}

static int find_subject(context *c, orr_id id, subject *out) {
  *out = (subject){0};
  int rc = orr_id_local(id) == 1 ? find_instance_subject(c, id, out) : find_task_subject(c, id, out);
  if (rc || out->instance || out->task) return rc;
  return context_error(c, ORR_E_NOT_FOUND, "there is no task or instance %" PRIu64, id);
}

/* In the group of the instance while that runs. */
static orr_id remark_id(context *c, orr_id instance) {
  rec_instance *i = instance ? unit_instance(c->u, instance, &c->error) : NULL;
  if (c->error.code) return 0;
  return i ? unit_next_id(c->u, i, &c->error) : unit_new_group(c->u, &c->error);
}

static int answer_one(context *c, const rec_type *type, rec_head *made, orr_records **out) {
  return records_from(c, type, &made, 1, out, &c->error);
}

static int run_answering(const char *name, orr_engine *engine, command_body body, remark_call *call, orr_error *err) {
  *call->out = NULL;
  int rc = command_run_as(name, engine, body, call, err);
  if (!rc) return 0;
  orr_records_free(*call->out);
  *call->out = NULL;
  return rc;
}

/* What both records have: where they belong, who made them, and when. */
#define FILL_REMARK(c, made, of) \
  do { \
    (made)->instance_id = (of)->instance; \
    (made)->task_id = (of)->task; \
    (made)->tenant = (of)->tenant; \
    (made)->user = unit_textz((c)->u, (c)->user); \
    (made)->time = context_stamp(c); \
  } while (0)

/* ---- Comments -------------------------------------------------------------------------------- */

static int check_comment(context *c, const char *text) {
  if (!text || !*text) return context_error(c, ORR_E_ARGUMENT, "a comment needs a text");
  if (strlen(text) <= ORR_COMMENT_BYTES_MAX) return 0;
  return context_error(c, ORR_E_LIMIT, "the comment has %zu bytes; at most %d are allowed", strlen(text),
                       ORR_COMMENT_BYTES_MAX);
}

static int add_comment_body(context *c, void *ud) {
  const remark_call *call = ud;
  subject of;
  int rc = check_comment(c, call->text);
  if (!rc) rc = find_subject(c, call->id, &of);
  orr_id id = rc ? 0 : remark_id(c, of.instance);
  if (!id) return c->error.code;
  rec_comment *made = unit_new_comment(c->u, id);
  if (!made) return context_memory(c);
  FILL_REMARK(c, made, &of);
  made->message = unit_textz(c->u, call->text);
  return answer_one(c, &rec_comment_type, &made->head, call->out);
}

int orr_engine_comment_add(orr_engine *engine, orr_id to, const char *message, orr_records **out, orr_error *err) {
  REQUIRE(message);
  OUT_RECORDS(out);
  return run_answering(__func__, engine, add_comment_body, &(remark_call){.id = to, .text = message, .out = out}, err);
}

static rec_comment *lookup_comment(context *c, orr_id id) {
  rec_comment *found = unit_comment(c->u, id, &c->error);
  if (!found && !c->error.code) context_error(c, ORR_E_NOT_FOUND, "there is no comment %" PRIu64, id);
  return found;
}

static int log_comment(context *c, const rec_comment *comment, const char *type, const char *after) {
  user_operation what = {.type = type, .entity = "Comment", .category = OPERATION_BY_WORKER, .instance = comment->instance_id,
                         .task = comment->task_id};
  return user_operation_texts(c, &what, "message", comment->message.data, after);
}

static int update_comment_body(context *c, void *ud) {
  const remark_call *call = ud;
  int rc = check_comment(c, call->text);
  rec_comment *comment = rc ? NULL : lookup_comment(c, call->id);
  if (!comment) return c->error.code;
  if (context_touch(c, comment)) return c->error.code;
  rc = log_comment(c, comment, "UpdateComment", call->text);
  comment->message = unit_textz(c->u, call->text);
  comment->time = context_stamp(c);
  return rc;
}

int orr_engine_comment_update(orr_engine *engine, orr_id comment, const char *message, orr_error *err) {
  REQUIRE(message);
  return command_run(engine, update_comment_body, &(remark_call){.id = comment, .text = message}, err);
}

static int delete_comment_body(context *c, void *ud) {
  const remark_call *call = ud;
  rec_comment *comment = lookup_comment(c, call->id);
  int rc = comment ? log_comment(c, comment, "DeleteComment", NULL) : c->error.code;
  return !rc && unit_delete(c->u, comment) ? context_memory(c) : rc;
}

int orr_engine_comment_delete(orr_engine *engine, orr_id comment, orr_error *err) {
  return command_run(engine, delete_comment_body, &(remark_call){.id = comment}, err);
}

/* ---- Attachments ----------------------------------------------------------------------------- */

static int take_fact(context *c, const char *name, const orr_value *v, rec_text *out) {
  if (v->type == ORR_NULL) return 0;
  if (v->type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "an attachment's %s must be a string", name);
  if (!context_text(c, v, name)) return c->error.code;
  *out = unit_text(c->u, v->as.bytes, v->size);
  return 0;
}

/* The content is any bytes. */
static int keep_content(context *c, rec_attachment *made, const orr_value *v) {
  if (v->type == ORR_NULL) return 0;
  if (v->type != ORR_STRING) return context_error(c, ORR_E_ARGUMENT, "an attachment's content must be a string");
  rec_attachment_content *content = unit_new_attachment_content(c->u, &(rec_attachment_content){.attachment_id = made->id});
  if (!content) return context_memory(c);
  content->bytes = unit_text(c->u, v->as.bytes, v->size);
  made->size = v->size;
  return content->bytes.data ? 0 : context_memory(c);
}

static int take_attachment_field(context *c, rec_attachment *made, const char *name, const orr_value *v) {
  const struct { const char *name; rec_text *text; } facts[] = {
      {"name", &made->name}, {"type", &made->type}, {"description", &made->description}, {"url", &made->url}};
  if (strcmp(name, "content") == 0) return keep_content(c, made, v);
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    if (strcmp(facts[i].name, name) == 0) return take_fact(c, name, v, facts[i].text);
  return context_error(c, ORR_E_ARGUMENT, "there is no field \"%s\" of an attachment; known are name, type, description, "
                       "url and content", name);
}

static int check_attached(context *c, const orr_value *fields) {
  bool content = orr_map_get(fields, "content").type == ORR_STRING, url = orr_map_get(fields, "url").type == ORR_STRING;
  return content != url ? 0 : context_error(c, ORR_E_ARGUMENT, "an attachment has either a content or a url");
}

static int log_attachment(context *c, const rec_attachment *a, const char *type, const char *before, const char *after) {
  user_operation what = {.type = type, .entity = "Attachment", .category = OPERATION_BY_WORKER, .instance = a->instance_id,
                         .task = a->task_id};
  return user_operation_texts(c, &what, "name", before, after);
}

static int add_attachment_body(context *c, void *ud) {
  const remark_call *call = ud;
  subject of;
  int rc = operand_map(c, call->fields, "an attachment");
  if (!rc) rc = check_attached(c, call->fields);
  if (!rc) rc = find_subject(c, call->id, &of);
  orr_id id = rc ? 0 : remark_id(c, of.instance);
  if (!id) return c->error.code;
  rec_attachment *made = unit_new_attachment(c->u, id);
  if (!made) return context_memory(c);
  FILL_REMARK(c, made, &of);
  orr_iterator it = orr_iterate(call->fields);
  orr_value key, value;
  while (!rc && orr_next(&it, &key, &value)) {
    const char *name = context_text(c, &key, "a field of an attachment");
    rc = name ? take_attachment_field(c, made, name, &value) : c->error.code;
  }
  if (!rc) rc = log_attachment(c, made, "AddAttachment", NULL, made->name.data);
  return rc ? rc : answer_one(c, &rec_attachment_type, &made->head, call->out);
}

int orr_engine_attachment_add(orr_engine *engine, orr_id to, const orr_value *attachment, orr_records **out, orr_error *err) {
  REQUIRE(attachment);
  OUT_RECORDS(out);
  return run_answering(__func__, engine, add_attachment_body, &(remark_call){.id = to, .fields = attachment, .out = out}, err);
}

static rec_attachment *lookup_attachment(context *c, orr_id id) {
  rec_attachment *found = unit_attachment(c->u, id, &c->error);
  if (!found && !c->error.code) context_error(c, ORR_E_NOT_FOUND, "there is no attachment %" PRIu64, id);
  return found;
}

static rec_attachment_content *content_of(context *c, orr_id id) {
  return unit_attachment_content_key(c->u, &(rec_attachment_content){.attachment_id = id}, &c->error);
}

static int content_body(context *c, void *ud) {
  const remark_call *call = ud;
  if (!lookup_attachment(c, call->id)) return c->error.code;
  const rec_attachment_content *content = content_of(c, call->id);
  if (!content) return c->error.code;
  orr_value bytes = orr_bytes(content->bytes.data, content->bytes.size);
  orr_builder_add(call->bytes, &bytes);
  return 0;
}

int orr_engine_attachment_content(orr_engine *engine, orr_id attachment, orr_builder *out, orr_error *err) {
  return command_read(engine, content_body, &(remark_call){.id = attachment, .bytes = out}, err);
}

static int delete_attachment_body(context *c, void *ud) {
  const remark_call *call = ud;
  rec_attachment *attachment = lookup_attachment(c, call->id);
  if (!attachment) return c->error.code;
  int rc = log_attachment(c, attachment, "DeleteAttachment", attachment->name.data, NULL);
  rec_attachment_content *content = rc ? NULL : content_of(c, call->id);
  if (c->error.code) return c->error.code;
  if (content && unit_delete(c->u, content)) return context_memory(c);
  return unit_delete(c->u, attachment) ? context_memory(c) : 0;
}

int orr_engine_attachment_delete(orr_engine *engine, orr_id attachment, orr_error *err) {
  return command_run(engine, delete_attachment_body, &(remark_call){.id = attachment}, err);
}
