/* Comments and attachments: what people have to say about a task or an instance. */
#include <string.h>

#include "rest_table.h"
#include "server/mapping/download.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/records.h"
#include "server/transport/multipart.h"

static bool path_of_instance(const request *q) { return strncmp(q->operation->path, "/process-instance", 17) == 0; }

/* ---- What the path names ---------------------------------------------------------------------- */

/* The task or instance of the path, which may have ended: history knows it, or what runs does. False: there is none, the
 * request has failed. */
static bool remark_owner(request *q) {
  bool instance = path_of_instance(q);
  orr_records *found = records_one(q, instance ? "instances" : "tasks", request_id(q));
  if (!found && !q->status) found = records_one(q, instance ? "history_instances" : "history_tasks", request_id(q));
  if (!found && !q->status) rest_missing(q);
  orr_records_free(found);
  return !q->status;
}

/* The comment or attachment `id`, when it is of the path's task or instance. NULL: the request has failed. */
static orr_records *remark_of(request *q, const char *verb, const char *id) {
  orr_records *found = records_one(q, verb, id_of_text(id) ? id_of_text(id) : INT64_MAX);
  orr_value of = found ? orr_records_get(found, 0, path_of_instance(q) ? "instance_id" : "task_id") : (orr_value){0};
  if (found && of.type == ORR_INT && (orr_id)of.as.integer == request_id(q)) return found;
  orr_records_free(found);
  if (!q->status)
    request_fail(q, 404, "InvalidRequestException", "%s with id %s does not exist for %s id '%s'.",
                 strcmp(verb, "comments") == 0 ? "Comment" : "Attachment", id,
                 path_of_instance(q) ? "process instance" : "task", q->path[0]);
  return NULL;
}

static int remark_write(request *q, const dto *shape, orr_records *found) {
  if (!found) return q->status;
  dto_write(q, shape, found, 0);
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

/* Has a task of a list any? */
static void task_has(const row *r, const char *verb, const char *field, json_out *out) {
  if (dto_is_listed(r)) {
    orr_value is = orr_records_get(r->records, r->index, field);
    out_bool(out, is.type == ORR_BOOL && is.as.boolean);
    return;
  }
  const key_value keys[] = {{"task_id", orr_int((int64_t)orr_records_id(r->records, r->index))}, {"limit", orr_int(1)}};
  orr_records *found = records_first(r->request, verb, keys, 2);
  out_bool(out, found);
  orr_records_free(found);
}

void dto_task_commented(const row *r, json_out *out) { task_has(r, "comments", "commented", out); }
void dto_task_attached(const row *r, json_out *out) { task_has(r, "attachments", "attached", out); }

/* All of them, the newest first. */
static orr_records *remarks(request *q, const char *verb) {
  orr_value filter;
  orr_builder *b = request_builder(q);
  if (!b || !remark_owner(q)) return NULL;
  orr_builder_map(b);
  orr_builder_put(b, path_of_instance(q) ? "instance_id" : "task_id", orr_int((int64_t)request_id(q)));
  rest_order(b, "time", "desc");
  orr_builder_end(b);
  return rest_value(q, b, &filter) ? records_list(q, verb, &filter) : NULL;
}

static int remarks_write(request *q, const dto *shape, orr_records *found) {
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) dto_write(q, shape, found, i);
  out_close(&q->out, ']');
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

/* ---- Comments --------------------------------------------------------------------------------- */

int rest_comment_list(request *q) { return remarks_write(q, &dto_CommentDto, remarks(q, "comments")); }

int rest_comment_get(request *q) {
  return remark_owner(q) ? remark_write(q, &dto_CommentDto, remark_of(q, "comments", q->path[1])) : q->status;
}

static const char *comment_message(request *q) {
  const char *message = body_text(q, "message");
  if (!q->status && (!message || !*message)) request_refuse(q, "Message is null");
  return q->status ? NULL : message;
}

int rest_comment_create(request *q) {
  orr_records *made = NULL;
  orr_error err = {0};
  const char *message = comment_message(q);
  if (!message || !remark_owner(q)) return q->status;
  int rc = orr_engine_comment_add(rest_engine(q), request_id(q), message, &made, &err);
  return rc ? rest_end(q, rc, &err) : remark_write(q, &dto_CommentDto, made);
}

int rest_comment_update(request *q) {
  orr_error err = {0};
  const char *message = comment_message(q), *id = body_text(q, "id");
  if (!message || q->status) return q->status;
  if (!id) return request_refuse(q, "Comment id is null");
  orr_records *found = remark_owner(q) ? remark_of(q, "comments", id) : NULL;
  if (!found) return q->status;
  orr_records_free(found);
  return rest_end(q, orr_engine_comment_update(rest_engine(q), id_of_text(id), message, &err), &err);
}

int rest_comment_delete(request *q) {
  orr_error err = {0};
  orr_records *found = remark_owner(q) ? remark_of(q, "comments", q->path[1]) : NULL;
  if (!found) return q->status;
  orr_records_free(found);
  return rest_end(q, orr_engine_comment_delete(rest_engine(q), id_of_text(q->path[1]), &err), &err);
}

/* In one transaction. */
int rest_comment_delete_all(request *q) {
  orr_engine *engine = rest_engine(q);
  orr_error err = {0};
  if (orr_engine_begin(engine, &err)) return request_fail_engine(q, &err);
  orr_records *all = remarks(q, "comments");
  int rc = 0;
  for (size_t i = 0; !rc && all && i < orr_records_count(all); i++)
    rc = orr_engine_comment_delete(engine, orr_records_id(all, i), &err);
  orr_records_free(all);
  if (rc || q->status) {
    orr_engine_rollback(engine);
    return q->status ? q->status : request_fail_engine(q, &err);
  }
  return rest_end(q, orr_engine_commit(engine, &err), &err);
}

/* ---- Attachments ------------------------------------------------------------------------------ */

int rest_attachment_list(request *q) { return remarks_write(q, &dto_AttachmentDto, remarks(q, "attachments")); }

int rest_attachment_get(request *q) {
  return remark_owner(q) ? remark_write(q, &dto_AttachmentDto, remark_of(q, "attachments", q->path[1])) : q->status;
}

static void part_put(request *q, const char *theirs, const char *ours, orr_builder *b) {
  const part *p = multipart_part(q, theirs);
  if (p && p->data && p->size > 0) orr_builder_put(b, ours, orr_bytes(p->data, p->size));
}

int rest_attachment_create(request *q) {
  orr_value fields;
  orr_records *made = NULL;
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  const part *content = multipart_part(q, "content"), *name = multipart_part(q, "attachment-name");
  if (!b || !remark_owner(q)) return q->status;
  if (!content && !multipart_part(q, "url"))
    return request_refuse(q, "No content or url to remote content exists to create the attachment.");
  orr_builder_map(b);
  part_put(q, "attachment-name", "name", b);
  if (!name && content && content->filename) orr_builder_put(b, "name", orr_string(content->filename));
  part_put(q, "attachment-description", "description", b);
  part_put(q, "attachment-type", "type", b);
  part_put(q, "url", "url", b);
  if (content) orr_builder_put(b, "content", orr_bytes(content->data ? content->data : "", content->size));
  orr_builder_end(b);
  if (!rest_value(q, b, &fields)) return q->status;
  int rc = orr_engine_attachment_add(rest_engine(q), request_id(q), &fields, &made, &err);
  return rc ? rest_end(q, rc, &err) : remark_write(q, &dto_AttachmentDto, made);
}

/* False: it has none, or that cannot be read, and the request has failed. */
static bool attachment_bytes(request *q, orr_value *out) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return false;
  int rc = orr_engine_attachment_content(rest_engine(q), id_of_text(q->path[1]), b, &err);
  if (rc) {
    rest_end(q, rc, &err);
    return false;
  }
  rest_optional(b, out);
  if (out->type == ORR_STRING) return true;
  request_fail(q, 404, "InvalidRequestException",
               "Attachment content for attachment with id '%s' does not exist for task id '%s'.",
               q->path[1], q->path[0]);
  return false;
}

int rest_attachment_data(request *q) {
  orr_value bytes;
  orr_records *found = remark_owner(q) ? remark_of(q, "attachments", q->path[1]) : NULL;
  if (!found) return q->status;
  download is = {.name = orr_records_get(found, 0, "name"),
                 .type = orr_records_get(found, 0, "type")};
  if (attachment_bytes(q, &bytes)) download_answer(q, &is, false, &bytes);
  orr_records_free(found);
  return q->status;
}

int rest_attachment_delete(request *q) {
  orr_error err = {0};
  orr_records *found = remark_owner(q) ? remark_of(q, "attachments", q->path[1]) : NULL;
  if (!found) return q->status;
  orr_records_free(found);
  return rest_end(q, orr_engine_attachment_delete(rest_engine(q), id_of_text(q->path[1]), &err), &err);
}
