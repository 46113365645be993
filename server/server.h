/* The server: Camunda 7's REST interface, and what operators look at, over open engines.
 *
 * server_run takes the calling thread and starts its own: loops that read requests and answer them,
 * each with a listener and a libuv loop; a pool that runs commands, so that many of them reach the
 * committer together; one that wakes parked polls. It returns after an orderly stop. It needs no Lua:
 * the engines bring their script hosts with them. */
#ifndef SERVER_H
#define SERVER_H

#include "base/trace.h"
#include "orrery.h"

typedef struct server_config {
  const char *address;       /* to listen at, a name or number; default 127.0.0.1 */
  int port;                  /* 0: any */
  const char *socket;        /* path of a Unix socket, beside the port; NULL: none */
  bool no_port;              /* the Unix socket alone */
  const char *auth_file;     /* users and tokens; NULL: no authentication */
  bool insecure;             /* another address than loopback's without authentication */
  const char **hosts;        /* names that requests may be sent to, beside the address; NULL at the end */
  const char **origins;      /* of pages elsewhere that may ask (CORS); NULL at the end */
  const char *certificate, *key; /* PEM files: TLS */
  const char *access_log;    /* a path, or "-" for the standard output; NULL: none */
  const char *ui;            /* folder of the operator's page; NULL: none */
  int loops, threads;        /* 0: as the machine has cores; 32 times that */
  int connections_max, connections_per_address;
  int64_t json_max, multipart_max; /* bytes of a body */
  int64_t unread_max;              /* bytes of all answers that clients have not read, together */
  double head_seconds, idle_seconds; /* total, for a request's head; between two requests */
  double drain_seconds;      /* how long a stop waits for what runs */
  tracer *tracer;            /* takes the spans of requests; NULL: no traces. Outlives the server */
  void (*attend)(void *ud);  /* called ten times a second by the thread of server_run; NULL: none */
  void *attend_ud;
  const char *ready_file;    /* written with the address once it listens; for those that start it */
} server_config;

typedef struct server_member {
  const char *name;          /* as in /engine/{name}; the first is the default one */
  orr_engine *engine;
} server_member;

/* What is not set is the default. */
void server_config_init(server_config *config);
/* Serves the engines until SIGTERM or SIGINT, on this thread and those that it starts. 0, or
 * negative with `err`. */
int server_run(const server_config *config, const server_member *members, size_t n_members, orr_error *err);
/* Could server_run listen now, where the configuration says? Listens nowhere. For a program that is
 * about to open engines: it acts for nobody when it could not serve. */
int server_check_places(const server_config *config, orr_error *err);

#endif
