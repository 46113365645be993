/* Who is checked next. */
#include "server/auth/checks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "server/server_internal.h"

/* Requests about one user from one address; or, of an address, all of them. */
typedef struct check_user {
  const account *is;
  request *first, **last;
  struct check_user *next;
} check_user;

typedef struct check_address {
  connection_origin from;
  check_user *first, **last;
  struct check_address *next;
} check_address;

struct checks {
  server *server;
  pthread_mutex_t mutex; /* guards what follows */
  check_address *first, **last;
  size_t running;
  bool ending;
};

checks *checks_new(server *s) {
  checks *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->server = s;
  all->last = &all->first;
  pthread_mutex_init(&all->mutex, NULL);
  return all;
}

void checks_free(checks *all) {
  if (!all) return;
  pthread_mutex_destroy(&all->mutex);
  free(all);
}

/* ---- Waiting; with the mutex held --------------------------------------------------------- */

static bool is_from(const check_address *a, const connection_origin *from) {
  return a->from.known == from->known &&
         memcmp(&a->from.address, &from->address, sizeof from->address) == 0;
}

/* NULL: out of memory. */
static check_address *address_of(checks *all, const connection_origin *from) {
  for (check_address *a = all->first; a; a = a->next)
    if (is_from(a, from)) return a;
  check_address *a = calloc(1, sizeof *a);
  if (!a) return NULL;
  a->from = *from;
  a->last = &a->first;
  *all->last = a;
  all->last = &a->next;
  return a;
}

static check_user *user_of(check_address *a, const account *is) {
  for (check_user *u = a->first; u; u = u->next)
    if (u->is == is) return u;
  check_user *u = calloc(1, sizeof *u);
  if (!u) return NULL;
  u->is = is;
  u->last = &u->first;
  *a->last = u;
  a->last = &u->next;
  return u;
}

static bool check_enter(checks *all, request *q, const account *whose) {
  check_address *a = address_of(all, &q->connection->from);
  check_user *u = a ? user_of(a, whose) : NULL;
  if (!u) return false; /* an address without users goes with its turn */
  q->next = NULL;
  *u->last = q;
  u->last = &q->next;
  return true;
}

/* The first request of an address's first user, who then stands behind its others. */
static request *address_take(check_address *a) {
  check_user *u = a->first;
  if (!u) return NULL;
  request *q = u->first;
  a->first = u->next;
  if (!a->first) a->last = &a->first;
  u->first = q->next;
  u->next = NULL;
  if (u->first) {
    *a->last = u;
    a->last = &u->next;
  } else {
    free(u);
  }
  return q;
}

/* The next request; its address then stands behind the others. NULL: none waits. */
static request *check_take(checks *all) {
  request *q = NULL;
  for (check_address *a; !q && (a = all->first);) {
    all->first = a->next;
    if (!all->first) all->last = &all->first;
    a->next = NULL;
    q = address_take(a);
    if (a->first) {
      *all->last = a;
      all->last = &a->next;
    } else {
      free(a);
    }
  }
  return q;
}

/* ---- Turns -------------------------------------------------------------------------------- */

static void check_refuse(request *q) {
  if (!q->status) request_fail(q, 503, "RestException", "The server is busy, or ends");
  loop_finished(q);
}

/* The next one that may run: counted, or NULL. */
static request *check_next(checks *all) {
  pthread_mutex_lock(&all->mutex);
  request *q = all->running < CHECKS_AT_ONCE ? check_take(all) : NULL;
  if (q) all->running++;
  pthread_mutex_unlock(&all->mutex);
  return q;
}

static void check_over(checks *all) {
  pthread_mutex_lock(&all->mutex);
  all->running--;
  pthread_mutex_unlock(&all->mutex);
}

/* For one whose client has gone nothing is looked up. */
static void checks_begin(checks *all) {
  for (request *q; (q = check_next(all));) {
    bool gone = connection_gone(q->connection);
    if (!gone && pool_submit(all->server->pool, q, q->work)) continue;
    check_over(all);
    check_refuse(q);
  }
}

void checks_wait(checks *all, request *q, const account *whose, void (*work)(request *q)) {
  q->work = work;
  pthread_mutex_lock(&all->mutex);
  bool ends = all->ending, waits = !ends && check_enter(all, q, whose);
  pthread_mutex_unlock(&all->mutex);
  if (waits) {
    checks_begin(all);
    return;
  }
  if (!ends) request_fail_memory(q);
  check_refuse(q);
}

void checks_done(checks *all) {
  check_over(all);
  checks_begin(all);
}

void checks_end(checks *all) {
  if (!all) return;
  pthread_mutex_lock(&all->mutex);
  all->ending = true;
  for (request *q; (q = check_take(all));) check_refuse(q);
  pthread_mutex_unlock(&all->mutex);
}
