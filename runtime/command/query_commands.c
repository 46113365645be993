/* Lists: what a filter finds, how many there are, and one record by its id; statistics. */
#include "base/null.h"
#include "command/frame.h"
#include "query/query.h"
#include "query/statistics.h"

typedef struct list_call {
  const char *verb;
  const orr_value *filter;
  orr_id id;
  orr_records **out;
  int64_t *count;
} list_call;

static int list_body(context *c, void *ud) {
  list_call *call = ud;
  return query_run(c, call->verb, call->filter, call->out, call->count, &c->error);
}

static int find_body(context *c, void *ud) {
  list_call *call = ud;
  return query_one(c, call->verb, call->id, call->out, &c->error);
}

int orr_engine_list(orr_engine *engine, const char *verb, const orr_value *conditions, orr_records **out, orr_error *err) {
  REQUIRE(verb);
  OUT_RECORDS(out);
  *out = NULL;
  return command_read(engine, list_body, &(list_call){.verb = verb, .filter = conditions, .out = out}, err);
}

int orr_engine_count(orr_engine *engine, const char *verb, const orr_value *conditions, int64_t *out, orr_error *err) {
  REQUIRE(verb);
  OUT_PLAIN(int64_t, out);
  *out = 0;
  return command_read(engine, list_body, &(list_call){.verb = verb, .filter = conditions, .count = out}, err);
}

int orr_engine_find(orr_engine *engine, const char *verb, orr_id id, orr_records **out, orr_error *err) {
  REQUIRE(verb);
  OUT_RECORDS(out);
  *out = NULL;
  return command_read(engine, find_body, &(list_call){.verb = verb, .id = id, .out = out}, err);
}

/* ---- Statistics ------------------------------------------------------------------------------ */

typedef struct statistics_call {
  orr_value request;
  orr_records **out;
} statistics_call;

static int statistics_body(context *c, void *ud) {
  statistics_call *call = ud;
  return statistics_live(c, &call->request, call->out);
}

static int history_statistics_body(context *c, void *ud) {
  statistics_call *call = ud;
  return statistics_history(c, &call->request, call->out);
}

int orr_engine_statistics(orr_engine *engine, const orr_value *request, orr_records **out, orr_error *err) {
  OUT_RECORDS(out);
  *out = NULL;
  return command_read(engine, statistics_body, &(statistics_call){request ? *request : (orr_value){0}, out}, err);
}

int orr_engine_history_statistics(orr_engine *engine, const orr_value *request, orr_records **out, orr_error *err) {
  REQUIRE(request);
  OUT_RECORDS(out);
  *out = NULL;
  return command_read(engine, history_statistics_body, &(statistics_call){*request, out}, err);
}
