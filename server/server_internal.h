/* The server's inside: what its files share. */
#ifndef SERVER_INTERNAL_H
#define SERVER_INTERNAL_H

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <uv.h>

#include "base/error.h"
#include "server/auth/auth.h"
#include "server/auth/checks.h"
#include "server/auth/session.h"
#include "server/operator/page.h"
#include "server/server.h"
#include "server/transport/loop.h"
#include "server/transport/parked.h"
#include "server/transport/pool.h"
#include "server/transport/request.h"
#include "server/transport/router.h"
#include "server/transport/series.h"
#include "server/transport/stats.h"

enum {
  SERVER_ENGINES_MAX = 64,
  HEAD_BYTES_MAX = 16 * 1024, /* of a request line and its headers */
  HEADERS_MAX = 100,
  BODY_BYTES_A_SECOND = 1024, /* slower ones are cut off */
  BODY_GRACE_SECONDS = 10,
};

struct server_engine {
  const char *name;
  orr_engine *engine;
  bool remote;         /* its store is in a database (orr_engine_store_remote) */
  pool *pool;          /* that runs what is asked of it; its own when it is remote */
  parked_room *parked; /* its polls that wait */
  series series;       /* what it has done, by the minute */
};

struct server {
  server_config config;
  server_engine engines[SERVER_ENGINES_MAX];
  size_t n_engines;
  router *router;      /* below /engine-rest */
  router *health_router; /* /health, /metrics */
  sessions *sessions;  /* of the page */
  page *page;          /* NULL: none */
  checks *checks;      /* of passwords, that wait */
  auth *auth;          /* NULL: everybody may do everything */
  pool *pool;
  peers *peers;        /* connections by address */
  loop *loops;
  size_t n_loops;
  stats stats;
  FILE *log;           /* of accesses; NULL: none */
  pthread_mutex_t log_mutex;
  atomic_size_t committing; /* commands whose commits are not waited for by a thread */
  atomic_bool draining;
  int port;            /* that it listens at */
};

/* The engine whose store has failed for good (orr_engine_store_state); NULL: none has. */
const server_engine *server_failed(const server *s);

/* Of the monotonic clock. */
int64_t server_now_ns(void);

#endif
