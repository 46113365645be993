/* Sessions. */
#include "store/postgresql/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* A server that is silent for so long is taken for lost. It must be more than a group of commits
 * takes, its wait for others included. */
#define SILENCE_MS_MAX 20000
#define CONNECT_SECONDS_MAX "10"
#define QUIET_MS_MAX 1000 /* of a server that is being connected to, before libpq sees to it */
/* A process that is stopped must not keep its view, which old rows are kept for; nor, for long, a
 * commit that it has begun, which others wait behind. */
#define VIEW_MS_MAX 60000
#define COMMIT_REST_MS_MAX 5000

/* Keys are compared byte by byte, and every answer about them comes from the primary key, whatever
 * the planner has heard of the table's size. */
static const char *const statements[POSTGRES_STATEMENTS] = {
    [POSTGRES_GET] = "SELECT v FROM orrery_entry WHERE k = $1",
    [POSTGRES_AHEAD] =
        "SELECT x.k, x.v, x.p, x.r FROM ("
        "SELECT k, CASE WHEN octet_length(v) <= 8192 THEN v END AS v, NULL::bigint AS p, NULL::bigint AS r"
        " FROM orrery_entry WHERE k = ANY ($3::bytea[])"
        " UNION ALL SELECT e.k, e.v, NULL, NULL FROM unnest($1::bytea[], $2::bytea[]) AS s(low, high), LATERAL"
        " (SELECT k, CASE WHEN octet_length(v) <= 8192 THEN v END AS v FROM orrery_entry"
        "  WHERE k >= s.low AND k < s.high ORDER BY k LIMIT " TEXT(
            POSTGRES_AHEAD_ROWS) ") AS e"
        " UNION ALL SELECT NULL, g.v, g.p, g.r FROM unnest($4::bigint[], $5::bigint[]) AS s(low, high), LATERAL"
        " (SELECT p, r, CASE WHEN octet_length(v) <= 65536 THEN v END AS v FROM orrery_page"
        "  WHERE p >= s.low AND p <= s.high ORDER BY p LIMIT " TEXT(
            POSTGRES_AHEAD_PAGES) ") AS g) AS x ORDER BY x.k, x.p",
    [POSTGRES_FORWARDS] =
        "SELECT k, v FROM orrery_entry WHERE k >= $1 AND k < $2 ORDER BY k LIMIT $3",
    [POSTGRES_BACKWARDS] =
        "SELECT k, v FROM orrery_entry WHERE k >= $1 AND k < $2 ORDER BY k DESC LIMIT $3",
    [POSTGRES_PAGE] = "SELECT v FROM orrery_page WHERE p = $1",
    [POSTGRES_PAGES] = "SELECT p, r, v FROM orrery_page WHERE p = ANY ($1::bigint[])",
    [POSTGRES_PAGES_FORWARDS] =
        "SELECT p, v FROM orrery_page WHERE p >= $1 AND p <= $2 AND tags & $3::bigint <> 0 ORDER BY p LIMIT $4",
    [POSTGRES_PAGES_BACKWARDS] =
        "SELECT p, v FROM orrery_page WHERE p >= $1 AND p <= $2 AND tags & $3::bigint <> 0 ORDER BY p DESC LIMIT $4",
    [POSTGRES_COMMIT] =
        ("SELECT orrery_commit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,"
         " $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33)"),
    [POSTGRES_FOREIGN] =
        "SELECT coalesce(sum(sequence), 0)::bigint FROM orrery_lane WHERE id <> $1",
};
static const char *const names[POSTGRES_STATEMENTS] = {
    "orrery_get",   "orrery_ahead",          "orrery_forwards",        "orrery_backwards", "orrery_page",
    "orrery_pages", "orrery_pages_forwards", "orrery_pages_backwards", "orrery_commit",    "orrery_foreign"};

/* The store compares and locks by itself, and relies on each statement's seeing what was committed
 * before it. What a role or a database has been given as its own settings must not change that. */
#define SESSION_SETTINGS \
  "SET statement_timeout = 0; SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off;" \
  "SET default_transaction_deferrable = off; SET lock_timeout = 0;" \
  "SET idle_in_transaction_session_timeout = " TEXT( \
      VIEW_MS_MAX) "; SET client_min_messages = error; SET jit = off;" \
                   "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;" \
                   "SET plan_cache_mode = force_generic_plan;"

/* ---- Failures -------------------------------------------------------------------------------- */

static bool state_is(const char *state, const char *wanted) {
  return state && strncmp(state, wanted, strlen(wanted)) == 0;
}

/* The server's sentence without its rank and line break. */
static const char *first_line(const char *said, char *out, size_t size) {
  static const char *const ranks[] = {"FATAL:  ", "ERROR:  ", "PANIC:  "};
  const char *at = said && said[0] ? said : "no reason was given";
  for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
    const char *rank = strstr(at, ranks[i]);
    if (rank) at = rank + strlen(ranks[i]);
  }
  snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
  return out;
}

/* What failed in a session that goes on; the code of the answer. */
static int refused(const PGresult *result, const char *name, orr_error *err) {
  char line[300];
  const char *state = pq.resultErrorField(result, PG_DIAG_SQLSTATE);
  first_line(pq.resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY), line, sizeof line);
  /* what libpq says itself has no code: the session broke. 40003: the server does not know */
  if (!state || state_is(state, "40003")) return POSTGRES_LOST;
  if (state_is(state, "40001") || state_is(state, "40P01")) return POSTGRES_AGAIN;
  if (state_is(state, "ORR01")) return POSTGRES_FENCED;
  if (state_is(state, "ORR02") || state_is(state, "23505")) return POSTGRES_STALE;
  if (state_is(state, "57P") || state_is(state, "25006") || state_is(state, "08"))
    return POSTGRES_LOST;
  if (state_is(state, "42501"))
    return error_set(
        err, ORR_E_STORE,
        "%s refuses (%s): grant this role its rights with: orrery schema URL --grant ROLE", name,
        line);
  if (state_is(state, "42P01") || state_is(state, "42883"))
    return error_set(err, ORR_E_STORE,
                     "%s holds no Orrery store of this version (%s): run: orrery schema URL", name,
                     line);
  if (state_is(state, "53100"))
    return error_set(err, ORR_E_STORE, "the disk of %s is full (%s)", name, line);
  if (state_is(state, "53200"))
    return error_set(err, ORR_E_MEMORY, "%s is out of memory (%s)", name, line);
  if (state_is(state, "54")) return error_set(err, ORR_E_LIMIT, "%s: %s", name, line);
  return error_set(err, ORR_E_STORE, "%s: %s (%s)", name, line, state);
}

static int connection_lost(const postgres_connection *c, const char *name, orr_error *err) {
  char line[300];
  postgres_away(err, "the connection to %s was lost: %s", name,
                first_line(pq.errorMessage(c->pg), line, sizeof line));
  return POSTGRES_LOST;
}

/* ---- Connecting ------------------------------------------------------------------------------ */

/* libpq has no codes for what fails while connecting, but for what the server answers; its
 * sentences are those of the C locale when the server's are. */
static int connect_refused(PGconn *pg, const char *name, bool *transient, orr_error *err) {
  char line[300];
  const char *said = pq.errorMessage(pg);
  first_line(said, line, sizeof line);
  bool busy = strstr(said, "too many clients") || strstr(said, "remaining connection slots") ||
              strstr(said, "too many connections");
  bool starting = strstr(said, "starting up") || strstr(said, "shutting down") ||
                  strstr(said, "recovery mode") || strstr(said, "not yet accepting connections") ||
                  strstr(said, "terminating connection");
  bool password = pq.connectionUsedPassword(pg) || pq.connectionNeedsPassword(pg) ||
                  strstr(said, "authentication");
  *transient = busy || starting || !strstr(said, "FATAL:");
  if (busy)
    return error_set(
        err, ORR_E_STORE,
        "%s has no connection left (%s): raise its max_connections, or run fewer threads", name,
        line);
  if (starting) return error_set(err, ORR_E_STORE, "%s is not ready (%s)", name, line);
  if (strstr(said, "database \"") && strstr(said, "does not exist"))
    return error_set(err, ORR_E_STORE, "%s: %s: create it, then run: orrery schema URL", name,
                     line);
  if (strstr(said, "role \"") && strstr(said, "does not exist"))
    return error_set(err, ORR_E_STORE, "%s: %s: name a user that the server knows", name, line);
  if (password)
    return error_set(
        err, ORR_E_STORE,
        "%s does not let this user in (%s): check the user, and the password in PGPASSFILE, the "
        "service file or the URL",
        name, line);
  return error_set(err, ORR_E_STORE, "%s cannot be reached: %s", name, line);
}

static int apply_settings(PGconn *pg, bool volatile_commits, const char *name, orr_error *err) {
  PGresult *result = pq.exec(pg, SESSION_SETTINGS);
  bool done = pq.resultStatus(result) == PGRES_COMMAND_OK;
  if (done && volatile_commits) {
    pq.clear(result);
    result = pq.exec(pg, "SET synchronous_commit = off");
    done = pq.resultStatus(result) == PGRES_COMMAND_OK;
  } else if (done) { /* a role's own setting must not make an answer a promise that is not kept */
    pq.clear(result);
    result = pq.exec(pg, "SELECT set_config('synchronous_commit', 'on', false)"
                        " WHERE current_setting('synchronous_commit') = 'off'");
    done = pq.resultStatus(result) == PGRES_TUPLES_OK;
  }
  int rc = done ? 0 : refused(result, name, err);
  pq.clear(result);
  if (rc > 0)
    rc = error_set(err, ORR_E_STORE, "%s ended the connection while it was being made", name);
  return rc;
}

/* False: nothing has happened for QUIET_MS_MAX. */
static bool wait_while_connecting(PGconn *pg, bool reads) {
  struct pollfd p = {.fd = pq.socket(pg), .events = reads ? POLLIN : POLLOUT};
  int n;
  do n = poll(&p, 1, QUIET_MS_MAX);
  while (n < 0 && errno == EINTR);
  return n != 0;
}

/* False: the server is silent. */
static bool finish_connecting(PGconn *pg) {
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
    if (!wait_while_connecting(pg, status == PGRES_POLLING_READING)) return false;
    status = pq.connectPoll(pg);
  }
  return true;
}

/* libpq would print what a server says on its own account to the standard error. */
static void ignore_notice(void *ud, const char *said) { (void)ud, (void)said; }

/* Of what the URL does not say: a server that is gone must be noticed.
 *
 * It is connected to step by step, since PQconnectdbParams prints what a server says when it ends a
 * session that has just begun. But that alone knows how to give up a host that is silent and to try
 * the URL's next one, so it has its turn when one is. */
static PGconn *connect_with_limits(const char *url) {
  static const char *const keys[] = {"connect_timeout",
                                     "keepalives_idle",
                                     "keepalives_interval",
                                     "keepalives_count",
                                     "tcp_user_timeout",
                                     "fallback_application_name",
                                     "dbname",
                                     NULL};
  const char *values[] = {CONNECT_SECONDS_MAX, "10", "5", "3", "20000", "orrery", url, NULL};
  /* what stands in the URL, which is expanded in the place of dbname, wins */
  PGconn *pg = pq.connectStartParams(keys, values, 1);
  if (!pg) return NULL;
  pq.setNoticeProcessor(pg, ignore_notice, NULL);
  if (pq.status(pg) == CONNECTION_BAD || finish_connecting(pg)) return pg;
  pq.finish(pg);
  pg = pq.connectdbParams(keys, values, 1);
  if (pg) pq.setNoticeProcessor(pg, ignore_notice, NULL);
  return pg;
}

int postgres_connect(const orr_allocator *allocator, const char *url, const char *name,
                     bool volatile_commits, postgres_connection **out, bool *transient,
                     orr_error *err) {
  *out = NULL;
  *transient = false;
  PGconn *pg = connect_with_limits(url);
  postgres_connection *c = pg ? env_zalloc(allocator, sizeof *c) : NULL;
  if (!c) {
    pq.finish(pg);
    return error_memory(err);
  }
  c->pg = pg;
  int rc = 0;
  if (pq.status(pg) != CONNECTION_OK) rc = connect_refused(pg, name, transient, err);
  if (!rc) fcntl(pq.socket(pg), F_SETFD, FD_CLOEXEC);
  if (!rc) rc = apply_settings(pg, volatile_commits, name, err);
  *transient = *transient || (rc && pq.status(pg) != CONNECTION_OK);
  if (rc && *transient) (void)postgres_mark_away(err);
  if (!rc && (!pq.enterPipelineMode(pg) || pq.setnonblocking(pg, 1)))
    rc = error_set(err, ORR_E_STORE, "libpq has no pipelines");
  if (rc)
    postgres_disconnect(allocator, c, false);
  else
    *out = c;
  return rc;
}

/* PQfinish says good-bye, on a socket that a child shares with its parent. */
static void mute(PGconn *pg) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  if (pq.socket(pg) >= 0) dup2(nothing, pq.socket(pg));
  close(nothing);
}

void postgres_disconnect(const orr_allocator *allocator, postgres_connection *c, bool forked) {
  if (!c) return;
  if (forked) mute(c->pg);
  pq.finish(c->pg);
  env_free(allocator, c, sizeof *c);
}

bool postgres_is_lost(const postgres_connection *c) { return pq.status(c->pg) != CONNECTION_OK; }

bool postgres_is_alive(postgres_connection *c) {
  struct pollfd p = {.fd = pq.socket(c->pg), .events = POLLIN};
  while (!postgres_is_lost(c) && poll(&p, 1, 0) > 0) {
    if (!pq.consumeInput(c->pg)) return false;
  }
  return !postgres_is_lost(c);
}

/* ---- Asking ---------------------------------------------------------------------------------- */

int postgres_begin(postgres_connection *c, bool writes) {
  static const char shorter_rest[] =
      "SET LOCAL idle_in_transaction_session_timeout = " TEXT(COMMIT_REST_MS_MAX);
  const char *sql = writes ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                           : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
  if (!pq.sendQueryParams(c->pg, sql, 0, NULL, NULL, NULL, NULL, 0)) return POSTGRES_LOST;
  if (writes && !pq.sendQueryParams(c->pg, shorter_rest, 0, NULL, NULL, NULL, NULL, 0))
    return POSTGRES_LOST;
  c->in_transaction = true;
  return 0;
}

void postgres_end_view(postgres_connection *c) {
  if (!c->in_transaction || postgres_is_lost(c)) return;
  c->in_transaction = false;
  if (!pq.sendQueryParams(c->pg, "COMMIT", 0, NULL, NULL, NULL, NULL, 0) || !pq.pipelineSync(c->pg))
    return;
  c->unread++;
  pq.flush(c->pg);
}

/* Waits until something can be read, or written as far as more waits to be. False: silence, or a
 * broken connection. */
static bool wait_for_server(PGconn *pg, bool writing) {
  struct pollfd p = {.fd = pq.socket(pg), .events = (short)(POLLIN | (writing ? POLLOUT : 0))};
  int n;
  do n = poll(&p, 1, SILENCE_MS_MAX);
  while (n < 0 && errno == EINTR);
  return n > 0;
}

/* Sends what is to be sent. A server that answers much meanwhile must be listened to, or both wait
 * for each other. */
static bool send_all(PGconn *pg) {
  int rest;
  while ((rest = pq.flush(pg)) > 0) {
    if (!wait_for_server(pg, true) || !pq.consumeInput(pg)) return false;
  }
  return rest == 0;
}

static bool next_result(PGconn *pg, PGresult **out) {
  while (pq.isBusy(pg)) {
    if (!wait_for_server(pg, false) || !pq.consumeInput(pg)) return false;
  }
  *out = pq.getResult(pg);
  return pq.status(pg) == CONNECTION_OK;
}

/* What is kept of the answers: the last rows, and the first failure. */
typedef struct answers {
  PGresult *rows, *failure;
} answers;

static void keep_answer(answers *kept, PGresult *result) {
  PGresult **place = NULL;
  switch (pq.resultStatus(result)) {
  case PGRES_TUPLES_OK: place = &kept->rows; break;
  case PGRES_FATAL_ERROR:
    if (!kept->failure) place = &kept->failure;
    break;
  default: break;
  }
  if (place) {
    pq.clear(*place);
    *place = result;
  } else {
    pq.clear(result);
  }
}

static void forget_answers(answers *kept) {
  pq.clear(kept->rows);
  pq.clear(kept->failure);
  *kept = (answers){0};
}

/* Reads to the end of the last pipeline; what those before it said is dropped. */
static bool read_answers(postgres_connection *c, answers *kept) {
  while (c->unread > 0) {
    PGresult *result = NULL;
    if (!next_result(c->pg, &result)) {
      if (result) keep_answer(kept, result);
      return false;
    }
    if (pq.resultStatus(result) == PGRES_PIPELINE_SYNC) {
      pq.clear(result);
      if (--c->unread > 0) forget_answers(kept);
    } else if (result) {
      keep_answer(kept, result);
    }
  }
  return true;
}

static int finish(postgres_connection *c, const char *name, PGresult **out, orr_error *err) {
  answers kept = {0};
  bool sent = pq.pipelineSync(c->pg);
  if (sent) c->unread++;
  if (c->questions) atomic_fetch_add_explicit(c->questions, 1, memory_order_relaxed);
  bool answered = sent && send_all(c->pg) && read_answers(c, &kept);
  int rc = kept.failure ? refused(kept.failure, name, err) : 0;
  if (rc == POSTGRES_LOST)
    postgres_away(err, "the connection was ended: %s stops, or only reads now", name);
  else if (!rc && !answered)
    rc = connection_lost(c, name, err);
  if (!rc) {
    *out = kept.rows;
    kept.rows = NULL;
  }
  forget_answers(&kept);
  return rc;
}

int postgres_prepare(postgres_connection *c, const char *name, orr_error *err) {
  PGresult *none = NULL;
  for (int i = 0; i < POSTGRES_STATEMENTS; i++) {
    if (!pq.sendPrepare(c->pg, names[i], statements[i], 0, NULL))
      return connection_lost(c, name, err);
  }
  int rc = finish(c, name, &none, err);
  pq.clear(none);
  return rc;
}

int postgres_ask(postgres_connection *c, postgres_statement statement,
                 const postgres_parameters *parameters, const char *name, PGresult **out,
                 orr_error *err) {
  int binary[POSTGRES_PARAMETERS_MAX];
  for (int i = 0; i < parameters->count; i++) binary[i] = 1;
  *out = NULL;
  if (!pq.sendQueryPrepared(c->pg, names[statement], parameters->count, parameters->values,
                           parameters->sizes, binary, 1))
    return connection_lost(c, name, err);
  return finish(c, name, out, err);
}

int postgres_ask_text(postgres_connection *c, const char *sql, int count, const char *const *values,
                      const char *name, PGresult **out, orr_error *err) {
  *out = NULL;
  if (!pq.sendQueryParams(c->pg, sql, count, NULL, values, NULL, NULL, 0))
    return connection_lost(c, name, err);
  return finish(c, name, out, err);
}
