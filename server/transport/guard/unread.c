/* Who reads what it is answered. */
#include "server/transport/guard/unread.h"

#include "server/server_internal.h"
#include "server/transport/guard/socket_counts.h"

#define NS_A_SECOND 1000000000LL

/* ---- What a client has taken -------------------------------------------------------------- */

/* A Unix socket does not tell how much: when what waits there changes, its client reads. */
static int64_t answer_taken(connection *c) {
  int64_t taken = c->from.local ? -1 : socket_taken(c->fd);
  if (taken >= 0) return taken;
  int waiting = socket_waiting(c->fd);
  taken = (c->taken < 0 ? 0 : c->taken) + (waiting != c->waiting ? ANSWER_BYTES_A_WINDOW : 0);
  c->waiting = waiting;
  return taken;
}

static void answer_mark(connection *c, int64_t taken, int64_t now) {
  c->taken = taken;
  c->taken_ns = now;
}

bool answer_stuck(connection *c, int64_t now) {
  int64_t taken = answer_taken(c),
          least = c->current && c->current->stream ? 1 : ANSWER_BYTES_A_WINDOW;
  bool reads = c->taken < 0 || socket_waiting(c->fd) == 0 || taken - c->taken >= least;
  if (reads) answer_mark(c, taken, now);
  return now - c->taken_ns > ANSWER_WINDOW_SECONDS * NS_A_SECOND;
}

/* ---- All that is not read ----------------------------------------------------------------- */

static bool answer_enter(connection *c, int64_t bytes) {
  server *s = c->loop->server;
  bool room = atomic_fetch_add(&s->stats.unread, bytes) + bytes <= s->config.unread_max ||
              bytes <= ANSWER_SMALL_BYTES;
  if (room) c->unread = bytes;
  else atomic_fetch_sub(&s->stats.unread, bytes);
  return room;
}

void answer_end(connection *c) {
  atomic_fetch_sub(&c->loop->server->stats.unread, c->unread);
  c->unread = 0;
}

/* Bytes in a second since the answer began; negative: it is none that could make room. */
static double answer_rate(connection *c, int64_t now) {
  double seconds = (double)(now - c->since_ns) / NS_A_SECOND;
  if (c->unread <= ANSWER_SMALL_BYTES || seconds < ANSWER_GRACE_SECONDS) return -1;
  return (double)(answer_taken(c) - c->taken_before) / seconds;
}

/* False: none of the loop's answers could. */
static bool answer_make_room(loop *l) {
  int64_t now = server_now_ns();
  connection *slowest = NULL;
  double least = 0;
  for (connection *c = l->connections; c; c = c->next) {
    double rate = answer_rate(c, now);
    if (rate < 0 || (slowest && rate >= least)) continue;
    slowest = c;
    least = rate;
  }
  if (!slowest) return false;
  answer_end(slowest);
  loop_cut_off(slowest);
  return true;
}

/* Most answers are small, and read before anybody looks: the system is not asked about them yet. */
bool answer_begin(request *q, size_t bytes) {
  connection *c = q->connection;
  bool small = bytes <= ANSWER_SMALL_BYTES;
  bool fits = small || (int64_t)bytes <= q->server->config.unread_max;
  while (fits && !answer_enter(c, (int64_t)bytes)) fits = answer_make_room(c->loop);
  c->waiting = 0;
  c->taken_before = small ? -1 : answer_taken(c);
  answer_mark(c, c->taken_before, server_now_ns());
  return fits;
}
