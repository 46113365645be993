/* A loop: a thread, a libuv loop, and libmicrohttpd within it. */
#include "server/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/events.h"
#include "server/http.h"
#include "server/server_internal.h"

enum { SWEEP_MS = 500, EVENTS_MS = 250, CONNECTION_MEMORY = 24 * 1024, NS = 1000 * 1000 * 1000 };

/* ---- Connections ------------------------------------------------------------------------------ */

/* One too many, of all or of its address, is cut off at once: the library sees that it has ended. */
static void connection_admit(connection *c) {
  server *s = c->loop->server;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(c->mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  bool counts = !c->local && s->config.connections_per_address > 0 && peer_of(info ? info->client_addr : NULL, &c->from);
  c->counted = counts && peers_enter(s->peers, &c->from);
  bool full = atomic_fetch_add(&s->stats.connections, 1) >= s->config.connections_max;
  if (!full && c->counted == counts) return;
  atomic_fetch_add(&s->stats.cut_off, 1);
  shutdown(c->fd, SHUT_RDWR);
}

static void connection_add(listener *from, struct MHD_Connection *mhd, void **socket_context) {
  connection *c = calloc(1, sizeof *c);
  *socket_context = c;
  if (!c) return; /* http_uri finds none and refuses */
  loop *l = from->loop;
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
  *c = (connection){.loop = l, .mhd = mhd, .fd = info ? info->connect_fd : -1, .local = from->local,
                    .since_ns = server_now_ns(), .next = l->connections};
  if (c->next) c->next->prev = c;
  l->connections = c;
  connection_admit(c);
}

static void connection_remove(connection *c) {
  if (!c) return;
  if (c->prev) c->prev->next = c->next;
  else c->loop->connections = c->next;
  if (c->next) c->next->prev = c->prev;
  atomic_fetch_sub(&c->loop->server->stats.connections, 1);
  if (c->counted) peers_leave(c->loop->server->peers, &c->from);
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

/* Cuts off who takes too long. The library sees the end of the connection and lets it go. */
static void loop_sweep(uv_timer_t *timer) {
  loop *l = timer->data;
  int64_t now = server_now_ns();
  for (connection *c = l->connections; c; c = c->next) {
    double allowance = connection_allowance(c);
    if (allowance > 0 && (double)(now - c->since_ns) > allowance * NS) {
      shutdown(c->fd, SHUT_RDWR);
      atomic_fetch_add(&l->server->stats.cut_off, 1);
      c->since_ns = now;
    }
  }
  if (l != l->server->loops) return;
  stats_flush(l->server);
  for (size_t i = 0; i < l->server->n_engines; i++) {
    server_engine *e = &l->server->engines[i];
    series_sample(&e->series, e->engine, now);
  }
}

/* ---- The library within the loop -------------------------------------------------------------- */

static void listener_run(listener *at);

static void listener_timed(uv_timer_t *timer) { listener_run(timer->data); }

static void listener_readable(uv_poll_t *poll, int status, int events) {
  (void)status;
  (void)events;
  listener_run(poll->data);
}

void loop_queue(request *q, void (*work)(request *q)) {
  loop *l = q->connection->loop;
  q->work = work;
  q->next = NULL;
  *l->last_queued = q;
  l->last_queued = &q->next;
}

static void loop_hand_over(loop *l) {
  request *q = l->queued;
  if (!q) return;
  l->queued = NULL;
  l->last_queued = &l->queued;
  for (q = pool_submit_chain(l->server->pool, q); q;) {
    request *next = q->next;
    request_fail(q, 503, "RestException", "The server is busy: too many commands wait");
    loop_finished(q);
    q = next;
  }
}

static void listener_run(listener *at) {
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
    MHD_resume_connection(finished->connection->mhd);
    finished = next;
  }
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) listener_run(&l->listeners[i]);
}

static void loop_look(uv_timer_t *timer) {
  loop *l = timer->data;
  if (!l->streams) return;
  events_look(l);
  loop_answer(l, NULL);
}

static void loop_quieten(loop *l) {
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->fds[i] >= 0) {
      MHD_socket fd = MHD_quiesce_daemon(l->listeners[i].daemon);
      if (fd != MHD_INVALID_SOCKET) close(fd);
      l->fds[i] = -1;
    }
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
  loop_look(&l->look); /* streams that wait end now: the library aborts the process when it is stopped before */
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) uv_poll_stop(&l->listeners[i].poll);
  uv_walk(&l->uv, loop_close_handle, NULL);
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

void loop_stop(loop *l) {
  if (l->started) {
    pthread_mutex_lock(&l->mutex);
    l->stop = true;
    pthread_mutex_unlock(&l->mutex);
    uv_async_send(&l->async);
    pthread_join(l->thread, NULL);
    l->started = false;
  }
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) MHD_stop_daemon(l->listeners[i].daemon);
  if (!uv_loop_alive(&l->uv)) uv_loop_close(&l->uv);
  pthread_mutex_destroy(&l->mutex);
  free(l->sources);
}

/* ---- Opening ---------------------------------------------------------------------------------- */

static char *loop_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, capacity = 0;
  ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;
  if (got > 0) size = (size_t)got;
  if (file) fclose(file);
  if (size > 0) return text;
  free(text);
  return NULL;
}

/* What every daemon is given; the last two only with TLS. */
static struct MHD_Daemon *listener_daemon(listener *at, int fd, unsigned flags, char *certificate, char *key) {
  const server_config *config = &at->loop->server->config;
  unsigned most = (unsigned)config->connections_max + 1; /* connection_admit counts over all loops */
  struct MHD_OptionItem tls[] = {
      {MHD_OPTION_HTTPS_MEM_CERT, 0, certificate}, {MHD_OPTION_HTTPS_MEM_KEY, 0, key}, {MHD_OPTION_END, 0, NULL}};
  struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
  server *s = at->loop->server;
  return MHD_start_daemon(
      flags, 0, NULL, NULL, http_handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      (size_t)CONNECTION_MEMORY, MHD_OPTION_CONNECTION_LIMIT, most, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_URI_LOG_CALLBACK, http_uri, s, MHD_OPTION_NOTIFY_COMPLETED, http_completed, s, MHD_OPTION_NOTIFY_CONNECTION,
      loop_notify, at, MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024U, MHD_OPTION_ARRAY, certificate ? tls : plain, MHD_OPTION_END);
}

static int listener_open(listener *at, int fd, orr_error *err) {
  loop *l = at->loop;
  const server_config *config = &l->server->config;
  unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
  char *certificate = NULL, *key = NULL;
  if (config->certificate && !at->local) {
    flags |= MHD_USE_TLS;
    certificate = loop_file(config->certificate);
    key = loop_file(config->key);
    if (!certificate || !key) error_set(err, ORR_E_STATE, "the certificate or its key cannot be read");
  }
  if (!config->certificate || at->local || (certificate && key)) {
    at->daemon = listener_daemon(at, fd, flags, certificate, key);
    if (!at->daemon)
      error_set(err, ORR_E_STATE,
                certificate ? "the certificate or its key is not usable" : "the listener cannot be started");
  }
  free(certificate); /* the library has read them */
  free(key);
  if (!at->daemon) return -1;
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(at->daemon, MHD_DAEMON_INFO_EPOLL_FD);
  uv_timer_init(&l->uv, &at->timer);
  uv_poll_init(&l->uv, &at->poll, info->epoll_fd);
  at->poll.data = at->timer.data = at;
  uv_poll_start(&at->poll, UV_READABLE, listener_readable);
  return 0;
}

int loop_open(loop *l, server *s, const int *fds, orr_error *err) {
  l->server = s;
  l->last_queued = &l->queued;
  pthread_mutex_init(&l->mutex, NULL);
  uv_loop_init(&l->uv);
  uv_async_init(&l->uv, &l->async, loop_wake);
  uv_timer_init(&l->uv, &l->sweep);
  uv_timer_init(&l->uv, &l->look);
  l->async.data = l->sweep.data = l->look.data = l;
  uv_timer_start(&l->look, loop_look, EVENTS_MS, EVENTS_MS);
  uv_timer_start(&l->sweep, loop_sweep, SWEEP_MS, SWEEP_MS);
  l->sources = calloc(SERVER_ENGINES_MAX, sizeof *l->sources);
  if (!l->sources) return error_memory(err);
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++) {
    l->listeners[i] = (listener){.loop = l, .local = i == 1};
    l->fds[i] = fds[i];
    if (fds[i] >= 0 && listener_open(&l->listeners[i], fds[i], err)) return -1;
  }
  return 0;
}

static void *loop_thread(void *ud) {
  loop *l = ud;
  for (size_t i = 0; i < LOOP_LISTENERS_MAX; i++)
    if (l->listeners[i].daemon) listener_run(&l->listeners[i]);
  uv_run(&l->uv, UV_RUN_DEFAULT);
  return NULL;
}

int loop_start(loop *l, orr_error *err) {
  if (pthread_create(&l->thread, NULL, loop_thread, l) != 0) return error_set(err, ORR_E_STATE, "a thread cannot be started");
  l->started = true;
  return 0;
}
