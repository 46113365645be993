/* The server as a whole: what it is made of, when it listens, how it ends. */
#include "server/server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/serving.h"
#include "server/health.h"
#include "server/server_internal.h"
#include "server/transport/guard/descriptors.h"

enum { LOOK_MS = 100 };
enum { LOOPS_MAX = 16, THREADS_A_CORE = 32, DRAIN_STEP_MS = 10, LAST_ANSWERS_SECONDS = 2, THREADS_MIN = 8 };

void server_config_init(server_config *config) {
  *config = (server_config){.address = "127.0.0.1",
                            .port = 8080,
                            .connections_max = 12000,
                            .connections_per_address = 256,
                            .json_max = 8 * 1024 * 1024,
                            .multipart_max = 64 * 1024 * 1024,
                            .unread_max = 256 * 1024 * 1024,
                            .head_seconds = 10,
                            .idle_seconds = 60,
                            .drain_seconds = 30};
}

/* ---- Listening -------------------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

static int bound_port(int fd) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                            : ((struct sockaddr_in6 *)&address)->sin6_port);
}

typedef enum listens { LISTENS_TO_PROBE, LISTENS_FIRST, LISTENS_MORE } listens;

/* Each loop has a listener of its own at the same port; the system spreads connections over them. */
static int listen_port(const struct addrinfo *at, listens how, orr_error *err) {
  int fd = socket(at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
  /* The first one makes sure that no other program has the port: it shares it from then on. */
  if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd >= 0 && how != LISTENS_TO_PROBE) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  bool bound = fd >= 0 && bind(fd, at->ai_addr, at->ai_addrlen) == 0;
  int port = bound && how == LISTENS_FIRST ? bound_port(fd) : 0;
  serving_begin(port); /* before anybody can connect */
  if (bound && listen(fd, SOMAXCONN) == 0) return fd;
  error_set(err, ORR_E_STATE, "the address cannot be listened at: %s", strerror(errno));
  serving_end(port);
  if (fd >= 0) close(fd);
  return -1;
}

static void set_port(struct addrinfo *at, int port) {
  if (at->ai_family == AF_INET) ((struct sockaddr_in *)at->ai_addr)->sin_port = htons((uint16_t)port);
  else ((struct sockaddr_in6 *)at->ai_addr)->sin6_port = htons((uint16_t)port);
}

/* Is the port free? SO_REUSEPORT would share it with any other process that sets the option. */
static int probe_port(struct addrinfo *at, orr_error *err) {
  int fd = listen_port(at, LISTENS_TO_PROBE, err);
  if (fd < 0) return -1;
  close(fd);
  return 0;
}

/* The address with its port, where it is free and may be used so. */
static int find_address(const server_config *config, struct addrinfo **out, orr_error *err) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
  int rc = getaddrinfo(config->address, NULL, &hints, &found);
  if (rc) return error_set(err, ORR_E_ARGUMENT, "\"%s\" is no address: %s", config->address, gai_strerror(rc));
  if (!is_loopback(found->ai_addr) && !config->auth_file && !config->insecure)
    rc = error_set(err, ORR_E_ARGUMENT,
                   "at %s everybody could do everything: give a file of users (--auth FILE), or say --insecure",
                       config->address);
  set_port(found, config->port);
  if (!rc && config->port) rc = probe_port(found, err);
  if (rc) freeaddrinfo(found);
  else *out = found;
  return rc;
}

static int listen_everywhere(server *s, int *fds, size_t n, orr_error *err) {
  struct addrinfo *found = NULL;
  int rc = find_address(&s->config, &found, err);
  if (rc) return rc;
  for (size_t i = 0; i < n && !rc; i++) {
    fds[i] = listen_port(found, i == 0 ? LISTENS_FIRST : LISTENS_MORE, err);
    if (fds[i] < 0) rc = -1;
    else if (i == 0) set_port(found, s->port = bound_port(fds[i]));
  }
  freeaddrinfo(found);
  return rc;
}

/* A socket that was left behind is replaced, one that is in use is not. */
static bool socket_stale(const struct sockaddr_un *at) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0;
  if (fd >= 0) close(fd);
  struct stat is;
  return !answers && stat(at->sun_path, &is) == 0 && S_ISSOCK(is.st_mode);
}

static int socket_address(const char *path, struct sockaddr_un *out, orr_error *err) {
  *out = (struct sockaddr_un){.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof out->sun_path) return error_set(err, ORR_E_ARGUMENT, "the path of the socket is too long");
  strcpy(out->sun_path, path);
  return 0;
}

static int listen_socket(const char *path, int *out, orr_error *err) {
  struct sockaddr_un at;
  if (socket_address(path, &at, err)) return -1;
  if (socket_stale(&at)) unlink(path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  mode_t mask = umask(0177); /* its owner's alone, who may open it to others */
  bool bound = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, SOMAXCONN) == 0;
  umask(mask);
  if (bound) {
    *out = fd;
    return 0;
  }
  error_set(err, ORR_E_STATE, "the socket \"%s\" cannot be listened at: %s", path, strerror(errno));
  if (fd >= 0) close(fd);
  return -1;
}

int server_check_places(const server_config *config, orr_error *err) {
  struct addrinfo *found = NULL;
  struct sockaddr_un at;
  if (!config->no_port && find_address(config, &found, err)) return -1;
  if (found) freeaddrinfo(found);
  if (!config->socket) return 0;
  if (socket_address(config->socket, &at, err)) return -1;
  if (access(config->socket, F_OK) != 0 || socket_stale(&at)) return 0;
  return error_set(err, ORR_E_STATE, "the socket \"%s\" cannot be listened at: %s", config->socket, strerror(EADDRINUSE));
}

/* ---- Opening ---------------------------------------------------------------------------------- */

static int open_members(server *s, const server_member *members, size_t n, orr_error *err) {
  if (n == 0 || n > SERVER_ENGINES_MAX)
    return error_set(err, ORR_E_ARGUMENT, "a server has one to %d engines", SERVER_ENGINES_MAX);
  for (; s->n_engines < n; s->n_engines++) {
    server_engine *e = &s->engines[s->n_engines];
    *e = (server_engine){.name = members[s->n_engines].name, .engine = members[s->n_engines].engine};
    e->remote = orr_engine_store_remote(e->engine);
    series_init(&e->series);
    if (orr_engine_commits_share(e->engine, err)) return -1;
    e->parked = parked_open(s, e, err);
    if (!e->parked) return -1;
  }
  return 0;
}

static int open_log(server *s, orr_error *err) {
  const char *path = s->config.access_log;
  pthread_mutex_init(&s->log_mutex, NULL);
  if (!path) return 0;
  s->log = strcmp(path, "-") == 0 ? stdout : fopen(path, "ae");
  return s->log ? 0 : error_set(err, ORR_E_ARGUMENT, "the log \"%s\" cannot be written", path);
}

/* The first thing that a thread asks an engine for opens a script state of its own. */
static void warm_for(void *ud) {
  const server_engine *e = ud;
  orr_engine_set_user(e->engine, NULL, NULL);
}

static void warm_thread(void *ud) {
  server *s = ud;
  for (size_t i = 0; i < s->n_engines; i++)
    if (!s->engines[i].remote) warm_for(&s->engines[i]);
}

/* A thread that waits for a database is lost to all that its pool runs: each database has one. */
static int open_pools(server *s, size_t threads, size_t at_once, orr_error *err) {
  s->pool = pool_new(threads, at_once, warm_thread, s);
  if (!s->pool) return error_memory(err);
  for (size_t i = 0; i < s->n_engines; i++) {
    server_engine *e = &s->engines[i];
    e->pool = e->remote ? pool_new(threads, at_once, warm_for, e) : s->pool;
    if (!e->pool) return error_memory(err);
  }
  return 0;
}

static int open_threads(server *s, orr_error *err) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t loops = s->config.loops > 0 ? (size_t)s->config.loops : (size_t)cores, threads = (size_t)s->config.threads;
  if (!threads) threads = (size_t)cores * THREADS_A_CORE;
  s->n_loops = loops > LOOPS_MAX ? LOOPS_MAX : loops;
  if (threads < THREADS_MIN && !s->config.threads) threads = THREADS_MIN;
  size_t pools = 1;
  for (size_t i = 0; i < s->n_engines; i++) pools += s->engines[i].remote;
  if (descriptors_plan(&s->config, threads * pools, s->n_loops, err)) return -1;
  if (open_pools(s, threads, (size_t)cores, err)) return -1;
  s->router = router_new(operations, n_operations);
  s->health_router = router_new(health_operations, n_health_operations);
  s->loops = calloc(s->n_loops, sizeof *s->loops);
  s->sessions = sessions_open();
  s->peers = peers_new(s->config.connections_per_address);
  s->checks = checks_new(s);
  return s->checks && s->peers && s->sessions && s->router && s->health_router && s->loops
             ? 0
             : error_memory(err);
}

static int open_loops(server *s, orr_error *err) {
  int ports[LOOPS_MAX], local = -1, rc = 0;
  for (size_t i = 0; i < LOOPS_MAX; i++) ports[i] = -1;
  if (!s->config.no_port) rc = listen_everywhere(s, ports, s->n_loops, err);
  if (!rc && s->config.socket) rc = listen_socket(s->config.socket, &local, err);
  size_t opened = 0;
  for (; opened < s->n_loops && !rc; opened++) {
    int fds[LOOP_LISTENERS_MAX] = {ports[opened], opened == 0 ? local : -1};
    rc = loop_open(&s->loops[opened], s, fds, err);
  }
  for (size_t i = opened; i < LOOPS_MAX && rc; i++)
    if (ports[i] >= 0) close(ports[i]);
  if (rc && opened == 0 && local >= 0) close(local);
  if (rc) s->n_loops = opened;
  for (size_t i = 0; i < opened && !rc; i++) rc = loop_start(&s->loops[i], err);
  return rc;
}

/* ---- Ending ----------------------------------------------------------------------------------- */

static void server_attend(const server *s) {
  if (s->config.attend) s->config.attend(s->config.attend_ud);
}

/* Waits until every request is answered, but no longer than this. */
static void server_quiesce(server *s, double seconds) {
  int64_t until = server_now_ns() + (int64_t)(seconds * 1e9);
  while (atomic_load(&s->stats.active) > 0 && server_now_ns() < until) {
    server_attend(s);
    usleep(DRAIN_STEP_MS * 1000);
  }
}

static void each_pool(server *s, void (*act)(pool *p)) {
  for (size_t i = 0; i < s->n_engines; i++)
    if (s->engines[i].remote) act(s->engines[i].pool);
  act(s->pool);
}

static void server_close(server *s) {
  atomic_store(&s->draining,
               true); /* also of one that never began: streams end, and nothing is kept */
  for (size_t i = 0; i < s->n_engines; i++) parked_close(s->engines[i].parked);
  checks_end(s->checks);
  each_pool(s, pool_end); /* what runs in an engine runs to its end */
  while (atomic_load(&s->committing) > 0) usleep(DRAIN_STEP_MS * 1000);
  server_quiesce(s, LAST_ANSWERS_SECONDS);
  for (size_t i = 0; i < s->n_loops && s->loops; i++) loop_stop(&s->loops[i]);
  each_pool(s, pool_free);
  router_free(s->router);
  router_free(s->health_router);
  checks_free(s->checks);
  auth_close(s->auth);
  sessions_close(s->sessions);
  page_close(s->page);
  free(s->loops);
  peers_free(s->peers);
  if (s->log && s->log != stdout) fclose(s->log);
  pthread_mutex_destroy(&s->log_mutex);
  if (s->config.socket) unlink(s->config.socket);
  serving_end(s->port);
}

/* No new connections; polls are answered; what runs may end, for so long. */
static void server_drain(server *s) {
  atomic_store(&s->draining, true);
  for (size_t i = 0; i < s->n_loops; i++) loop_quiet(&s->loops[i]);
  for (size_t i = 0; i < s->n_engines; i++) parked_drain(s->engines[i].parked);
  server_quiesce(s, s->config.drain_seconds);
  for (size_t i = 0; i < s->n_engines; i++) orr_engine_waits_end(s->engines[i].engine);
}

static void server_signaled(uv_signal_t *signal, int number) {
  (void)number;
  uv_stop(signal->loop);
}

static bool write_port(const char *path, int port) {
  FILE *file = fopen(path, "we");
  if (!file) return false;
  bool written = fprintf(file, "%d\n", port) > 0;
  return fclose(file) == 0 && written;
}

static int server_announce(const server *s, orr_error *err) {
  const char *path = s->config.ready_file;
  if (path && !write_port(path, s->port))
    return error_set(err, ORR_E_ARGUMENT, "\"%s\" cannot be written", path);
  if (s->config.no_port) return 0;
  bool six = strchr(s->config.address, ':');
  fprintf(stderr, "orrery serve: %s://%s%s%s:%d/engine-rest\n", s->config.certificate ? "https" : "http", six ? "[" : "",
          s->config.address, six ? "]" : "", s->port);
  return 0;
}

static int watch_signal(uv_loop_t *uv, uv_signal_t *signal, int number) {
  int rc = uv_signal_init(uv, signal);
  if (rc) return rc;
  rc = uv_signal_start(signal, server_signaled, number);
  if (rc) uv_close((uv_handle_t *)signal, NULL);
  return rc;
}

const server_engine *server_failed(const server *s) {
  for (size_t i = 0; i < s->n_engines; i++)
    if (strcmp(orr_engine_store_state(s->engines[i].engine), "failed") == 0) return &s->engines[i];
  return NULL;
}

static void server_look(uv_timer_t *timer) {
  const server *s = timer->data;
  server_attend(s);
  if (server_failed(s)) uv_stop(timer->loop);
}

/* Attends to its program, and ends the wait when a store has failed for good. */
static int watch_stores(server *s, uv_loop_t *uv, uv_timer_t *timer) {
  int rc = uv_timer_init(uv, timer);
  if (rc) return rc;
  timer->data = s;
  rc = uv_timer_start(timer, server_look, LOOK_MS, LOOK_MS);
  if (rc) uv_close((uv_handle_t *)timer, NULL);
  return rc;
}

/* Waits for the signal to end. */
static int server_wait(server *s, orr_error *err) {
  static const int numbers[] = {SIGTERM, SIGINT};
  enum { WANTED = sizeof numbers / sizeof numbers[0] };
  uv_signal_t signals[WANTED];
  uv_timer_t stores;
  uv_loop_t uv;
  int rc = uv_loop_init(&uv), watched = 0;
  if (rc) return error_set(err, ORR_E_LIMIT, "signals cannot be waited for: %s", uv_strerror(rc));
  while (watched < WANTED && !rc) {
    rc = watch_signal(&uv, &signals[watched], numbers[watched]);
    if (!rc) watched++;
  }
  bool looks = !rc && (rc = watch_stores(s, &uv, &stores)) == 0;
  if (rc) error_set(err, ORR_E_LIMIT, "signals cannot be waited for: %s", uv_strerror(rc));
  if (!rc) rc = server_announce(s, err);
  if (!rc) uv_run(&uv, UV_RUN_DEFAULT);
  if (looks) uv_close((uv_handle_t *)&stores, NULL);
  while (watched > 0) uv_close((uv_handle_t *)&signals[--watched], NULL);
  uv_run(&uv, UV_RUN_DEFAULT);
  uv_loop_close(&uv);
  return rc;
}

int server_run(const server_config *config, const server_member *members, size_t n_members, orr_error *err) {
  server *s = calloc(1, sizeof *s);
  if (!s) return error_memory(err);
  s->config = *config;
  signal(SIGPIPE, SIG_IGN);
  int rc = open_log(s, err);
  if (!rc) rc = open_members(s, members, n_members, err);
  if (!rc) rc = open_threads(s, err);
  if (!rc && config->auth_file) {
    s->auth = auth_open(config->auth_file, err);
    rc = s->auth ? 0 : -1;
  }
  if (!rc && config->ui) {
    s->page = page_open(config->ui, err);
    rc = s->page ? 0 : -1;
  }
  if (!rc) rc = open_loops(s, err);
  if (!rc) rc = server_wait(s, err);
  if (!rc) server_drain(s);
  const server_engine *failed = rc ? NULL : server_failed(s);
  if (failed)
    rc = error_set(err, ORR_E_STORE, "the store of engine \"%s\" failed and has to be opened again: start the server again",
                   failed->name);
  server_close(s);
  free(s);
  return rc;
}
