/* What is done with a request. */
#include "server/transport/dispatch.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "rest_table.h"
#include "server/auth/people.h"
#include "server/server_internal.h"
#include "server/transport/compress.h"
#include "server/transport/json_in.h"
#include "server/transport/members.h"
#include "server/transport/multipart.h"
#include "server/transport/scalars.h"
#include "server/transport/request_trace.h"

static const char base_path[] = "engine-rest";

enum { CONFLICTS_MAX = 6 }; /* attempts more, after pauses of 1 to 32 ms */
enum { BODY_QUICK = 64 * 1024 }; /* a query of that size may take long */
enum { PAGE_ROWS = 100 }; /* that a list may have to be read on a loop's thread */

/* ---- Whom a request may be sent to ------------------------------------------------------------ */

/* A Host header without its port. */
static bool host_is(const char *host, const char *name) {
  size_t size = strlen(name);
  bool bracket = host[0] == '[';
  if (bracket) host++;
  if (strncasecmp(host, name, size) != 0) return false;
  const char *rest = host + size + (bracket && host[size] == ']');
  return *rest == '\0' || (*rest == ':' && rest[1] && strspn(rest + 1, "0123456789") == strlen(rest + 1));
}

bool dispatch_host_known(const server *s, const char *host) {
  static const char *const own[] = {"localhost", "127.0.0.1", "::1"};
  if (!host) return false;
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (host_is(host, own[i])) return true;
  if (s->config.address && host_is(host, s->config.address)) return true;
  for (const char **name = s->config.hosts; name && *name; name++)
    if (host_is(host, *name)) return true;
  return false;
}

bool dispatch_cors(const server *s, const char *origin) {
  for (const char **known = s->config.origins; known && *known; known++)
    if (strcmp(*known, origin) == 0) return true;
  return false;
}

bool dispatch_origin_known(const server *s, const char *origin, const char *host) {
  if (!origin) return true;
  const char *scheme = s->config.certificate ? "https://" : "http://";
  size_t size = strlen(scheme);
  bool same = host && strncmp(origin, scheme, size) == 0 && strcasecmp(origin + size, host) == 0;
  return same || dispatch_cors(s, origin);
}

/* ---- Routes ----------------------------------------------------------------------------------- */

static server_engine *engine_of_name(server *s, const char *name) {
  for (size_t i = 0; i < s->n_engines; i++)
    if (strcmp(s->engines[i].name, name) == 0) return &s->engines[i];
  return NULL;
}

/* Leaves the pieces behind /engine-rest[/engine/NAME] in *segments; -1: the request has failed. */
static int route_engine(request *q, char ***segments, int n) {
  if (strcmp((*segments)[0], base_path) != 0) return n; /* what is the server's own: /health, /metrics */
  (*segments)++, n--;
  if (n < 3 || strcmp((*segments)[0], "engine") != 0) return n;
  q->engine = engine_of_name(q->server, (*segments)[1]);
  if (!q->engine) {
    request_fail(q, 404, "InvalidRequestException", "Process engine %s not available", (*segments)[1]);
    return -1;
  }
  *segments += 2;
  return n - 2;
}

/* Is it a path of Camunda's cases: /case-..., or /history/case-...? */
static bool about_cases(char *const *segments, int n) {
  int at = n > 1 && strcmp(segments[0], "history") == 0;
  return n > 0 && strncmp(segments[at], "case-", 5) == 0;
}

static void route_none(request *q, char *const *segments, int n, bool base) {
  if (base && about_cases(segments, n))
    request_fail(q, 501, "RestException", "This is not built: cases (CMMN)");
  else request_fail(q, 404, "NotFoundException", "HTTP 404 Not Found");
}

bool dispatch_route(request *q) {
  char *path, *pieces[PATH_SEGMENTS_MAX], **segments = pieces;
  bool sound = request_split(q, &path), other = false;
  char *whole = sound ? request_copy(q, path) : NULL; /* of a file of the page */
  int n = sound ? request_segments(path, pieces, PATH_SEGMENTS_MAX) : -1;
  if (n < 0) {
    request_refuse(q, "The address is not well formed");
    return false;
  }
  q->engine = &q->server->engines[0];
  bool base = n > 0 && strcmp(pieces[0], base_path) == 0;
  if (n > 0) n = route_engine(q, &segments, n);
  if (n < 0) return false;
  q->own = !base;
  if (!base) q->operation = page_route(q, whole ? whole : "/");
  if (q->operation) return true;
  const router *r = base ? q->server->router : q->server->health_router;
  q->operation = router_find(r, q->method, segments, n, q->path, &other);
  if (!q->operation && other && strcmp(q->method, "OPTIONS") == 0) request_no_content(q);
  else if (!q->operation && other) request_fail(q, 405, "NotAllowedException", "HTTP 405 Method Not Allowed");
  else if (!q->operation) route_none(q, segments, n, base);
  return !q->status;
}

/* ---- Bodies ----------------------------------------------------------------------------------- */

static bool arguments_sound(request *q) {
  for (size_t i = 0; i < q->operation->n_arguments; i++) {
    const param *p = &q->operation->arguments[i];
    const char *given = request_argument(q, p->name);
    bool on = false, truth = given && scalar_bool_of_text(given, &on);
    if (!given || (truth && !on)) continue;
    bool is_flag = p->kind == PARAM_FLAG || p->kind == PARAM_SWITCH;
    if (p->kind == PARAM_UNBUILT)
      request_refuse(q, "The query parameter '%s' is not built: %s", p->name, p->key);
    else if (is_flag && !truth && *given)
      request_refuse(q, "Cannot set query parameter '%s' to value '%s'", p->name, given);
    if (q->status) return false;
  }
  return true;
}

/* The body of a POST may be a query; that of a GET is nobody's. */
static bool takes_query(const request *q) {
  return q->operation->query && strcmp(q->method, "POST") == 0;
}

static bool body_is_blank(const request *q) {
  return strspn(q->body, " \t\r\n") == q->body_size;
}

/* There is none: as one without members, unless that would clear everything. */
static void body_empty(request *q) {
  json_decref(q->json);
  q->json = json_object();
  if (q->operation->body) request_refuse(q, "a body is expected");
  else if (!q->json) request_fail_memory(q);
}

bool dispatch_body(request *q) {
  char problem[200];
  if (q->operation->unbuilt) {
    request_fail(q, 501, "RestException", "This is not built: %s", q->operation->unbuilt);
    return false;
  }
  if (q->operation->multipart) return multipart_read(q) && arguments_sound(q);
  if (!q->operation->n_members && !takes_query(q)) return arguments_sound(q); /* no handler reads it */
  if (q->body_size > 0 && !body_is_blank(q)) {
    q->json = body_parse(q->body, q->body_size, problem, sizeof problem);
    if (q->json && json_is_null(q->json)) body_empty(q);
    else if (q->json && !json_is_object(q->json)) request_refuse(q, "the body is not a JSON object");
    else if (!q->json && *problem) request_refuse(q, "%s", problem);
    else if (!q->json) request_fail_memory(q);
  } else {
    body_empty(q);
  }
  return !q->status && members_read(q) && arguments_sound(q);
}

static int dispatch_handle(request *q) {
  const operation *op = q->operation;
  if (op->prepare && !op->prepare(q)) return q->status;
  return people_permit(q) ? op->handle(q) : q->status;
}

/* ---- Running ---------------------------------------------------------------------------------- */

int dispatch_read(request *q) {
  orr_error err = {0};
  orr_engine *engine = q->engine->engine;
  if (q->own || q->operation->engineless) return q->operation->handle(q);
  if (orr_engine_begin(engine, &err)) return request_fail_engine(q, &err);
  int status = dispatch_handle(q);
  orr_engine_rollback(engine);
  return status;
}

bool dispatch_is_slow(const request *q) {
  const operation *op = q->operation;
  if (op->slow || op->handle == rest_count || q->body_size > BODY_QUICK) return true;
  if (!q->own && !op->engineless && q->engine->remote) return true;
  const char *most = op->handle == rest_list ? request_argument(q, "maxResults") : "0";
  return !most || strtoll(most, NULL, 10) > PAGE_ROWS;
}

void dispatch_compress(request *q) {
  compress_answer(q);
  loop_finished(q);
}

void dispatch_slow(request *q) {
  dispatch_read(q);
  dispatch_compress(q);
}

void dispatch_each(request *q) {
  q->operation->handle(q);
  if (q->status) {
    dispatch_compress(q);
    return;
  }
  q->engine++;
  if (pool_submit(q->engine->pool, q, dispatch_each)) return;
  request_fail(q, 503, "RestException",
               "The server is busy: too many requests wait for engine \"%s\"", q->engine->name);
  loop_finished(q);
}

bool dispatch_is_last(const request *q) {
  return q->engine + 1 == q->server->engines + q->server->n_engines;
}

/* ---- Commits that no thread waits for --------------------------------------------------------- */

/* The command is over, or its commit: the later one of them answers. What lost a race is done again where it may be, by a
 * thread that waits. */
static void command_part_ends(request *q) {
  server *s = q->server;
  if (atomic_fetch_sub(&q->parts_left, 1) > 1) return;
  q->waits = q->lost.code == ORR_E_CONFLICT && q->operation->again;
  if (q->lost.code) request_fail_engine(q, &q->lost);
  if (!q->waits || !pool_submit(q->engine->pool, q, dispatch_command)) loop_finished(q);
  atomic_fetch_sub(&s->committing, 1);
}

/* On the committer's thread. */
static void command_committed(void *ud, const orr_error *err) {
  request *q = ud;
  if (err) error_copy(&q->lost, err);
  command_part_ends(q);
}

static void command_waits(void *ud, bool waits) { pool_waits(ud, waits); }

/* Counted first: the server does not close before its answer is with the loop. */
static void command_defer(request *q) {
  atomic_store(&q->parts_left, 2);
  atomic_fetch_add(&q->server->committing, 1);
  orr_engine_commit_defer(q->engine->engine, command_committed, q, NULL);
}

void dispatch_wait(request *q) { orr_engine_commit_deferred(q->engine->engine); }

/* ---- Commands --------------------------------------------------------------------------------- */

/* Whether somebody may, and what he does, is one transaction: another cannot take the task between.
 * Nothing that the role "task" may do is parked. */
static int command_once(request *q) {
  orr_error err = {0};
  orr_engine *engine = q->engine->engine;
  if (!q->limited) return dispatch_handle(q);
  if (orr_engine_begin(engine, &err)) return request_fail_engine(q, &err);
  int status = dispatch_handle(q);
  if (status >= 400) {
    orr_engine_rollback(engine);
    return status;
  }
  if (!orr_engine_commit(engine, &err)) return status;
  request_again(q);
  return request_fail_engine(q, &err);
}

/* What lost a race was left out whole. Where it does no harm to do it again, as the client would, this is done here. A
 * request that is parked is another thread's by the time that its handler returns, and may be gone. */
static int command_handle(request *q) {
  int status = command_once(q);
  for (unsigned attempt = 0; attempt < CONFLICTS_MAX; attempt++) {
    if (status == REQUEST_PARKED) return status;
    bool again = q->operation->again || q->limited;
    if (!q->conflict || !again) return status;
    pool_waits(q->engine->pool, true);
    usleep(1000U << attempt);
    pool_waits(q->engine->pool, false);
    request_again(q);
    status = command_once(q);
  }
  return status;
}

typedef enum command_end { COMMAND_DONE, COMMAND_DEFERRED, COMMAND_PARKED } command_end;

/* Which of its thread's commits is deferred is settled before the thread looks at another request. */
static command_end command_run(request *q) {
  server *s = q->server;
  orr_engine *engine = q->engine->engine;
  bool defers = q->operation->deferred && !q->waits && !q->limited;
  if (defers) command_defer(q);
  if (command_handle(q) == REQUEST_PARKED) return COMMAND_PARKED; /* somebody else's by now */
  if (!defers) return COMMAND_DONE;
  if (orr_engine_commit_deferred(engine)) return COMMAND_DEFERRED;
  atomic_fetch_sub(&s->committing, 1);
  return COMMAND_DONE;
}

void dispatch_command(request *q) {
  orr_error err = {0};
  orr_engine *engine = q->engine->engine;
  command_end end = COMMAND_DONE;
  if (q->status) request_again(q); /* it lost a race */
  request_trace_enter(engine, q);
  orr_engine_waits_watch(engine, command_waits, q->engine->pool, NULL);
  if (orr_engine_set_user(engine, q->user ? q->user->name : NULL, &err)) request_fail_engine(q, &err);
  else end = command_run(q);
  request_trace_enter(engine, NULL);
  if (end == COMMAND_PARKED) return;
  if (orr_engine_set_user(engine, NULL, NULL)) q->close = true;
  if (end == COMMAND_DEFERRED) command_part_ends(q);
  else dispatch_compress(q);
}

void dispatch_unlock(request *q) {
  for (size_t i = 0; i < q->n_locked; i++) {
    orr_error err = {0};
    if (orr_engine_external_unlock(q->engine->engine, q->locked[i], &err)) orr_error_clear(&err); /* gone, or another's */
  }
  request_free(q);
}
