/* Who runs jobs on this store, and why a job is not run. */
#include "rest_table.h"
#include "server/mapping/operation.h"
#include "server/operator/member.h"

int rest_executors(request *q) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return answer_value(q, orr_engine_executors(rest_engine(q), b, &err), b, &err);
}

int rest_nodes(request *q) {
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return answer_value(q, orr_engine_nodes(rest_engine(q), b, &err), b, &err);
}

/* Processes that do not answer are waited for as long as at the command. */
int rest_threads(request *q) {
  enum { WAIT_MS = 2000 };
  orr_error err = {0};
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  return answer_value(q, orr_engine_threads(rest_engine(q), WAIT_MS, b, &err), b, &err);
}

int rest_why(request *q) {
  orr_error err = {0};
  const char *id = request_argument(q, "jobId");
  orr_builder *b = request_builder(q);
  if (!b) return q->status;
  if (!id) return request_refuse(q, "No jobId was supplied");
  int rc = orr_engine_job_why(rest_engine(q), id_of_text(id), b, &err);
  if (rc) return request_fail_missing(q, &err, q->operation->missing_status, q->operation->missing, id);
  return answer_value(q, rc, b, &err);
}
