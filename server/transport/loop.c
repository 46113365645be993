/* A loop: a thread, a libuv loop, and libmicrohttpd within it. */
#include "server/transport/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/server_internal.h"
#include "server/transport/events.h"
#include "server/transport/guard/accept.h"
#include "server/transport/guard/unread.h"
#include "server/transport/http.h"

enum { SWEEP_MS = 500, EVENTS_MS = 250, CONNECTION_MEMORY = 24 * 1024, NS = 1000 * 1000 * 1000 };

/* ---- Connections ------------------------------------------------------------------------------ */

/* Without memory there is no connection: http_uri finds none, and refuses the request. */
static void connection_add(listener *at, struct MHD_Connection *mhd, void **socket_context) {
  connection *c = at->arrives ? calloc(1, sizeof *c) : NULL;
  *socket_context = c;
  if (!c) return;
  loop *l = at->loop;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
  *c = (connection){.loop = l,
                    .listener = at,
                    .mhd = mhd,
                    .fd = info ? info->connect_fd : -1,
                    .from = *at->arrives,
                    .since_ns = server_now_ns(),
                    .next = l->connections};
  at->arrives = NULL;
  if (c->next) c->next->prev = c;
  l->connections = c;
}

static void connection_remove(connection *c) {
  if (!c) return;
  if (c->prev) c->prev->next = c->next;
  else c->loop->connections = c->next;
  if (c->next) c->next->prev = c->prev;
  accept_left(c->listener, &c->from);
  answer_end(c);
  request_free(c->current);
  free(c);
}

static void loop_notify(void *from, struct MHD_Connection *mhd, void **socket_context,
                        enum MHD_ConnectionNotificationCode code) {
  if (code == MHD_CONNECTION_NOTIFY_STARTED) connection_add(from, mhd, socket_context);
  else connection_remove(*socket_context);
}

bool connection_gone(const connection *c) {
  char byte;
  ssize_t n = recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

/* How long the phase of a connection may take in all, in seconds; 0: as long as it likes. */
static double connection_allowance(const connection *c) {
  const server_config *config = &c->loop->server->config;
  size_t received = c->current ? c->current->body_size : 0;
  switch (c->phase) {
    case PHASE_HEAD: return c->reused ? config->head_seconds + config->idle_seconds : config->head_seconds;
    case PHASE_BODY: return BODY_GRACE_SECONDS + (double)received / BODY_BYTES_A_SECOND;
    default: return 0;
  }
}

void loop_cut_off(connection *c) {
  shutdown(c->fd, SHUT_RDWR);
  atomic_fetch_add(&c->loop->server->stats.cut_off, 1);
  c->since_ns = c->taken_ns = server_now_ns();
}

static bool connection_late(connection *c, int64_t now) {
  double allowance = connection_allowance(c);
  if (allowance > 0 && (double)(now - c->since_ns) > allowance * NS) return true;
  return c->phase == PHASE_ANSWER && answer_stuck(c, now);
}

/* Cuts off who takes too long. */
static void loop_sweep(uv_timer_t *timer) {
  loop *l = timer->data;
  int64_t now = server_now_ns();
  for (connection *c = l->connections; c; c = c->next)
    if (connection_late(c, now)) loop_cut_off(c);
  if (l != l->server->loops) return;
  stats_flush(l->server);
  for (size_t i = 0; i < l->server->n_engines; i++) {
    server_engine *e = &l->server->engines[i];
    series_sample(&e->series, e->engine, now);
  }
}

/* ---- The library within the loop -------------------------------------------------------------- */

static void listener_timed(uv_timer_t *timer) { loop_serve(timer->data); }

static void listener_readable(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  loop_serve(poll->data);
}

void loop_suspend(request *q) {
  q->connection->loop->suspended++;
  MHD_suspend_connection(q->connection->mhd);
}

void loop_queue(request *q, void (*work)(request *q)) {
  loop *l = q->connection->loop;
  q->work = work;
  q->next = NULL;
  *l->last_queued = q;
  l->last_queued = &q->next;
}

/* Cuts off the beginning of a chain that goes to one pool; the rest. */
static request *chain_cut(request *first) {
  request *last = first;
  while (last->next && last->next->engine->pool == first->engine->pool) last = last->next;
  request *rest = last->next;
  last->next = NULL;
  return rest;
}

static void loop_hand_over(loop *l) {
  request *q = l->queued;
  l->queued = NULL;
  l->last_queued = &l->queued;
  while (q) {
    request *rest = chain_cut(q);
    for (q = pool_submit_chain(q->engine->pool, q); q;) {
      request *next = q->next;
      if (!q->status) /* else it has been answered, and is sent as it is */
        request_fail(q, 503, "RestException", "The server is busy: too many commands wait");
      loop_finished(q);
      q = next;
    }
    q = rest;
  }
}

void loop_serve(listener *at) {
  MHD_UNSIGNED_LONG_LONG ms;
  MHD_run(at->daemon);
  loop_hand_over(at->loop);
  if (MHD_get_timeout(at->daemon, &ms) == MHD_YES) uv_timer_start(&at->timer, listener_timed, ms, 0);
  else uv_timer_stop(&at->timer);
}

static void loop_answer(loop *l, request *finished) {
  while (finished) {
    request *next = finished->next;
    finished->next = NULL;
    l->suspended--;
    MHD_resume_connection(finished->connection->mhd);
    finished = next;
  }
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) loop_serve(&l->listeners[i]);
}

static void loop_look(uv_timer_t *timer) {
  loop *l = timer->data;
  if (!l->streams) return;
  events_look(l);
  loop_answer(l, NULL);
}

static void loop_quieten(loop *l) {
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++) accept_stop(&l->listeners[i]);
}

static void loop_close_handle(uv_handle_t *handle, void *ud) {
  (void)ud;
  if (!uv_is_closing(handle)) uv_close(handle, NULL);
}

static void loop_wake(uv_async_t *async) {
  loop *l = async->data;
  pthread_mutex_lock(&l->mutex);
  request *finished = l->finished;
  l->finished = NULL;
  bool stop = l->stop, quiet = l->quiet;
  pthread_mutex_unlock(&l->mutex);
  loop_answer(l, finished);
  if (quiet) loop_quieten(l);
  if (!stop) return;
  loop_look(&l->look); /* streams that wait end now: the library aborts the process when it is
                          stopped before */
  /* A request that came at the last moment is refused by then, and its return calls this again. */
  if (l->suspended == 0) uv_walk(&l->uv, loop_close_handle, NULL);
}

void loop_finished(request *q) {
  loop *l = q->connection->loop;
  pthread_mutex_lock(&l->mutex);
  q->next = l->finished;
  l->finished = q;
  pthread_mutex_unlock(&l->mutex);
  uv_async_send(&l->async);
}

void loop_quiet(loop *l) {
  pthread_mutex_lock(&l->mutex);
  l->quiet = true;
  pthread_mutex_unlock(&l->mutex);
  uv_async_send(&l->async);
}

/* Its thread has ended, or never began. */
static void loop_close(loop *l) {
  if (!l->opened) return;
  uv_walk(&l->uv, loop_close_handle, NULL);
  uv_run(&l->uv, UV_RUN_DEFAULT); /* nothing is called but their closing */
  uv_loop_close(&l->uv);
}

void loop_stop(loop *l) {
  if (l->started) {
    pthread_mutex_lock(&l->mutex);
    l->stop = true;
    pthread_mutex_unlock(&l->mutex);
    uv_async_send(&l->async);
    pthread_join(l->thread, NULL);
    l->started = false;
  }
  loop_quieten(l);
  loop_close(l);
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) MHD_stop_daemon(l->listeners[i].daemon);
  if (l->opened) pthread_mutex_destroy(&l->mutex);
  free(l->sources);
}

/* ---- Opening ---------------------------------------------------------------------------------- */

static char *loop_file(const char *path) {
  FILE *file = fopen(path, "rbe");
  char *text = NULL;
  size_t size = 0, capacity = 0;
  ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;
  if (got > 0) size = (size_t)got;
  if (file) fclose(file);
  if (size > 0) return text;
  free(text);
  return NULL;
}

/* What every daemon is given; the last two only with TLS. What is strict is head.c: the library
 * would answer a request without a Host by two heads. */
static struct MHD_Daemon *listener_daemon(listener *at, unsigned flags, char *certificate,
                                          char *key) {
  const server_config *config = &at->loop->server->config;
  unsigned most = (unsigned)config->connections_max + 1; /* accept.c counts over all loops */
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, certificate}, {MHD_OPTION_HTTPS_MEM_KEY, 0, key}, {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  server *s = at->loop->server;
  return MHD_start_daemon(flags, 0, NULL, NULL, http_handle, s, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                          (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT, most,
                          MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_URI_LOG_CALLBACK, http_uri, s,
                          MHD_OPTION_NOTIFY_COMPLETED, http_completed, s,
                          MHD_OPTION_NOTIFY_CONNECTION, loop_notify, at, MHD_OPTION_ARRAY,
                          certificate ? tls : plain, MHD_OPTION_END);
}

static int listener_start(listener *at, orr_error *err) {
  const server_config *config = &at->loop->server->config;
  bool secret = config->certificate && !at->local;
  unsigned flags = MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME |
                   (secret ? MHD_USE_TLS : 0);
  char *certificate = secret ? loop_file(config->certificate) : NULL,
       *key = secret ? loop_file(config->key) : NULL;
  bool readable = !secret || (certificate && key);
  if (!readable) error_set(err, ORR_E_STATE, "the certificate or its key cannot be read");
  else at->daemon = listener_daemon(at, flags, certificate, key);
  free(certificate); /* the library has read them */
  free(key);
  if (at->daemon || !readable) return at->daemon ? 0 : -1;
  return error_set(
      err, ORR_E_STATE,
      secret ? "the certificate or its key is not usable" : "the listener cannot be started");
}

static int listener_open(listener *at, orr_error *err) {
  loop *l = at->loop;
  if (listener_start(at, err)) return -1;
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(at->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  at->poll.data = at->timer.data = at;
  int rc = info ? uv_timer_init(&l->uv, &at->timer) : UV_EINVAL;
  if (!rc) rc = uv_poll_init(&l->uv, &at->poll, info->epoll_fd);
  if (!rc) rc = uv_poll_start(&at->poll, UV_READABLE, listener_readable);
  return rc ? error_set(err, ORR_E_LIMIT, "connections cannot be waited for: %s", uv_strerror(rc))
            : accept_start(at, err);
}

/* What a loop has besides its listeners. */
static int loop_open_handles(loop *l, orr_error *err) {
  int rc = uv_loop_init(&l->uv);
  l->opened = !rc;
  if (!rc) rc = pthread_mutex_init(&l->mutex, NULL);
  l->async.data = l->sweep.data = l->look.data = l;
  if (!rc) rc = uv_async_init(&l->uv, &l->async, loop_wake);
  if (!rc) rc = uv_timer_init(&l->uv, &l->sweep);
  if (!rc) rc = uv_timer_init(&l->uv, &l->look);
  if (!rc) rc = uv_timer_start(&l->look, loop_look, EVENTS_MS, EVENTS_MS);
  if (!rc) rc = uv_timer_start(&l->sweep, loop_sweep, SWEEP_MS, SWEEP_MS);
  return rc ? error_set(err, ORR_E_LIMIT, "a loop that serves connections cannot be made: %s",
                        uv_strerror(rc))
            : 0;
}

int loop_open(loop *l, server *s, const int *fds, orr_error *err) {
  l->server = s;
  l->last_queued = &l->queued;
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    l->listeners[i] = (listener){.loop = l, .local = i == 1, .fd = fds[i]};
  if (loop_open_handles(l, err)) return -1;
  l->sources = calloc(SERVER_ENGINES_MAX, sizeof *l->sources);
  if (!l->sources) return error_memory(err);
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (fds[i] >= 0 && listener_open(&l->listeners[i], err)) return -1;
  return 0;
}

static void *loop_thread(void *ud) {
  loop *l = ud;
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) loop_serve(&l->listeners[i]);
  uv_run(&l->uv, UV_RUN_DEFAULT);
  return NULL;
}

int loop_start(loop *l, orr_error *err) {
  if (pthread_create(&l->thread, NULL, loop_thread, l) != 0) return error_set(err, ORR_E_STATE, "a thread cannot be started");
  l->started = true;
  return 0;
}
