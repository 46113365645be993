/* Server-sent events. */
#include "server/events.h"

#include <stdlib.h>
#include <string.h>

#include "server/server_internal.h"

#define HEARTBEAT_NS (15LL * 1000 * 1000 * 1000)

struct stream {
  request *q;
  loop *loop;
  int64_t changes;    /* of the store, when it was last told */
  int64_t told_ns;
  bool waits;         /* its connection is suspended */
  bool greeted;
  char text[128];     /* what is to be sent */
  size_t size, sent;
  struct stream *prev, *next;
};

static void stream_say(struct stream *s) {
  orr_engine *engine = s->q->engine->engine;
  int64_t changes = orr_engine_changes(engine), now = server_now_ns();
  int size = 0;
  if (!s->greeted) {
    const char *last = s->q->last_event;
    bool missed = last && strtoll(last, NULL, 10) != changes;
    size = snprintf(s->text, sizeof s->text, "retry: 2000\nid: %" PRId64 "\nevent: %s\ndata: {}\n\n", changes, missed
        ? "reset" : "hello");
  } else if (changes != s->changes) {
    size = snprintf(s->text, sizeof s->text, "id: %" PRId64 "\nevent: change\ndata: {\"kinds\":[\"any\"],\"ids\":[]}\n\n",
        changes);
  } else if (now - s->told_ns > HEARTBEAT_NS) {
    size = snprintf(s->text, sizeof s->text, ": still here\n\n");
  }
  if (size == 0) return;
  s->greeted = true;
  s->changes = changes;
  s->told_ns = now;
  s->size = (size_t)size;
  s->sent = 0;
}

static ssize_t stream_read(void *ud, uint64_t at, char *out, size_t room) {
  struct stream *s = ud;
  (void)at;
  if (atomic_load(&s->loop->server->draining)) return MHD_CONTENT_READER_END_OF_STREAM;
  if (s->sent == s->size && !s->greeted) stream_say(s);
  size_t n = s->size - s->sent < room ? s->size - s->sent : room;
  memcpy(out, s->text + s->sent, n);
  s->sent += n;
  if (n > 0) return (ssize_t)n;
  s->waits = true;
  MHD_suspend_connection(s->q->connection->mhd);
  return 0;
}

static void stream_free(void *ud) {
  struct stream *s = ud;
  if (s->prev) s->prev->next = s->next;
  else s->loop->streams = s->next;
  if (s->next) s->next->prev = s->prev;
  s->loop->n_streams--;
  free(s);
}

struct MHD_Response *events_response(request *q) {
  loop *l = q->connection->loop;
  struct stream *s = l->n_streams < STREAMS_MAX ? calloc(1, sizeof *s) : NULL;
  if (!s) return NULL;
  struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, sizeof s->text, stream_read, s,
      stream_free);
  if (!response) {
    free(s);
    return NULL;
  }
  *s = (struct stream){.q = q, .loop = l, .next = l->streams};
  if (s->next) s->next->prev = s;
  l->streams = s;
  l->n_streams++;
  return response;
}

void events_look(loop *l) {
  bool draining = atomic_load(&l->server->draining);
  for (struct stream *s = l->streams, *next; s; s = next) {
    next = s->next;
    if (!s->waits) continue;
    stream_say(s);
    if (s->sent == s->size && !draining) continue;
    s->waits = false;
    MHD_resume_connection(s->q->connection->mhd);
  }
}
