/* Accepting connections, and counting those that there are. */
#include "server/transport/guard/accept.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/server_internal.h"

enum {
  ACCEPTS_A_ROUND = 16,  /* then those who are connected have their turn */
  ACCEPT_PAUSE_MS = 100, /* until it is tried again, when descriptors or memory are used up */
};

/* ---- Who may stay ------------------------------------------------------------------------- */

static bool accept_count(server *s, connection_origin *from) {
  bool counts = !from->local && s->config.connections_per_address > 0 && from->known;
  from->counted = counts && peers_enter(s->peers, &from->address);
  if (counts && !from->counted) return false;
  if (atomic_fetch_add(&s->stats.connections, 1) < s->config.connections_max) return true;
  atomic_fetch_sub(&s->stats.connections, 1);
  if (from->counted) peers_leave(s->peers, &from->address);
  return false;
}

void accept_left(listener *at, const connection_origin *from) {
  server *s = at->loop->server;
  atomic_fetch_sub(&s->stats.connections, 1);
  if (from->counted) peers_leave(s->peers, &from->address);
}

/* The library closes what it does not take, whether it has told of it or not. */
static void accept_hand_over(listener *at, int fd, const struct sockaddr *address, socklen_t size) {
  server *s = at->loop->server;
  connection_origin from = {.local = at->local, .known = false};
  from.known = peer_of(address, &from.address);
  if (!accept_count(s, &from)) {
    atomic_fetch_add(&s->stats.cut_off, 1);
    close(fd);
    return;
  }
  at->arrives = &from;
  MHD_add_connection(at->daemon, fd, address, size);
  if (at->arrives) accept_left(at, &from);
  at->arrives = NULL;
}

/* ---- Accepting ---------------------------------------------------------------------------- */

static void accept_readable(uv_poll_t *poll, int status, int events);

static void accept_again(uv_timer_t *timer) {
  listener *at = timer->data;
  if (uv_poll_start(&at->incoming, UV_READABLE, accept_readable))
    uv_timer_start(&at->pause, accept_again, ACCEPT_PAUSE_MS, 0);
}

/* Connections wait in the system's queue meanwhile. */
static void accept_pause(listener *at, int problem) {
  server *s = at->loop->server;
  if (atomic_fetch_add(&s->stats.accept_pauses, 1) == 0)
    fprintf(stderr, "orrery serve: no connection can be accepted for now: %s\n", strerror(problem));
  uv_poll_stop(&at->incoming);
  uv_timer_start(&at->pause, accept_again, ACCEPT_PAUSE_MS, 0);
}

/* False: none waits, or none can be had. */
static bool accept_one(listener *at) {
  struct sockaddr_storage address = {0};
  socklen_t size = sizeof address;
  int fd = accept4(at->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    accept_hand_over(at, fd, (struct sockaddr *)&address, size);
    return true;
  }
  int problem = errno;
  if (problem == EMFILE || problem == ENFILE || problem == ENOMEM || problem == ENOBUFS)
    accept_pause(at, problem);
  return problem == EINTR || problem == ECONNABORTED;
}

static void accept_readable(uv_poll_t *poll, int status, int events) {
  listener *at = poll->data;
  (void)events;
  if (status < 0) {
    accept_pause(at, -status);
    return;
  }
  for (int i = 0; i < ACCEPTS_A_ROUND && accept_one(at); i++) {
  }
  loop_serve(at);
}

int accept_start(listener *at, orr_error *err) {
  uv_loop_t *uv = &at->loop->uv;
  at->incoming.data = at->pause.data = at;
  int rc = uv_timer_init(uv, &at->pause);
  if (!rc) rc = uv_poll_init_socket(uv, &at->incoming, at->fd);
  if (!rc) rc = uv_poll_start(&at->incoming, UV_READABLE, accept_readable);
  return rc ? error_set(err, ORR_E_LIMIT, "connections cannot be waited for: %s", uv_strerror(rc))
            : 0;
}

void accept_stop(listener *at) {
  if (!at->loop || at->fd < 0) return;
  uv_handle_t *handles[] = {(uv_handle_t *)&at->incoming, (uv_handle_t *)&at->pause};
  for (size_t i = 0; i < 2; i++)
    if (handles[i]->loop && !uv_is_closing(handles[i]))
      uv_close(handles[i], NULL); /* without a loop it was not made */
  close(at->fd);
  at->fd = -1;
}
