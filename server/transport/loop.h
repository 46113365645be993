/* Loops, and the connections that they serve. A loop is a thread with a libuv loop; libmicrohttpd runs
 * inside it, woken through its epoll descriptor. Everything about a connection happens on its loop. */
#ifndef SERVER_LOOP_H
#define SERVER_LOOP_H

#include <microhttpd.h>
#include <pthread.h>
#include <uv.h>

#include "orrery.h"
#include "server/transport/peers.h"

struct request;
struct server;

/* What a connection is waiting for; each has a deadline in all, not from byte to byte. */
typedef enum connection_phase { PHASE_HEAD, PHASE_BODY, PHASE_WORK, PHASE_ANSWER } connection_phase;

/* Where a connection comes from. */
typedef struct connection_origin {
  bool local;   /* by the Unix socket */
  bool known;   /* it has an address */
  bool counted; /* among those of its address */
  peer_address address;
} connection_origin;

typedef struct connection {
  struct loop *loop;
  struct listener *listener;
  struct MHD_Connection *mhd;
  int fd;
  connection_origin from;
  bool reused;             /* not its first request */
  connection_phase phase;
  int64_t since_ns;        /* of the phase */
  struct request *current;
  int64_t unread;          /* bytes of its answer, while it is not out */
  int64_t taken, taken_ns; /* by its client, and when: of the last time that it took something */
  int64_t taken_before;    /* when the answer began */
  int waiting;             /* bytes that the system had, when it was asked last */
  struct connection *prev, *next;
} connection;

enum { SOURCE_KINDS_MAX = 64 };

/* The feed of an engine that a loop's streams follow. */
typedef struct event_source {
  orr_feed *feed;   /* NULL: no stream follows it */
  size_t streams;
  char *kinds[SOURCE_KINDS_MAX]; /* that it has named */
  size_t n_kinds;
} event_source;

enum { LOOP_LISTENERS_MAX = 2 }; /* a port and a Unix socket */

/* One daemon of libmicrohttpd within a loop, and the socket that its connections come to. */
typedef struct listener {
  struct loop *loop;
  struct MHD_Daemon *daemon;
  uv_poll_t poll;             /* of the daemon's own descriptor */
  uv_timer_t timer;           /* for it */
  int fd;                     /* that it listens at; -1: none, or no more */
  uv_poll_t incoming;         /* of fd */
  uv_timer_t pause;           /* until it accepts again */
  connection_origin *arrives; /* of a connection that the library is being given */
  bool local;
} listener;

typedef struct loop {
  struct server *server;
  pthread_t thread;
  bool started, opened; /* its thread; uv */
  uv_loop_t uv;
  uv_async_t async;        /* requests are finished, or the loop shall stop */
  uv_timer_t look;         /* for events */
  uv_timer_t sweep;        /* deadlines */
  listener listeners[LOOP_LISTENERS_MAX];
  connection *connections;
  struct stream *streams; /* events.h */
  size_t n_streams;
  event_source *sources;   /* by engine */
  pthread_mutex_t mutex;   /* guards what other threads hand over */
  struct request *finished;
  bool stop, quiet;        /* quiet: accept no more */
  size_t suspended;        /* requests that are with others; loop_finished gives them back */
  struct request *queued, **last_queued; /* for the pool, when this round of the loop ends; the loop's own */
} loop;

/* Opens a loop and its listeners on `fds`, which are its own from then on; loop_stop closes them,
 * also after a failure. 0, or negative with `err`. */
int loop_open(loop *l, struct server *s, const int *fds, orr_error *err);
/* Runs the loop on a thread of its own. 0 or negative with `err`. */
int loop_start(loop *l, orr_error *err);
/* Has the loop accept no more connections. Any thread. */
void loop_quiet(loop *l);
/* Ends the loop, once every request has come back from whom it is with: they must take none any
 * more. Any thread but the loop's own. */
void loop_stop(loop *l);
/* Has the library do what there is to do for a listener's connections. The loop's own thread. */
void loop_serve(listener *at);
/* Cuts a connection off: the library sees that it has ended, and lets it go. The loop's own thread.
 */
void loop_cut_off(connection *c);
/* Has a request's connection wait until loop_finished. The loop's own thread. */
void loop_suspend(struct request *q);
/* Has the pool do `work` with a request; it gets all of a round of the loop at once. The loop's own thread. */
void loop_queue(struct request *q, void (*work)(struct request *q));
/* A request's answer is made: its loop sends it. Any thread. */
void loop_finished(struct request *q);
/* Has the client of a request gone? Looks at its socket; any thread, while the request waits. */
bool connection_gone(const connection *c);

#endif
