/* Server-sent events. */
#include "server/transport/events.h"

#include <stdlib.h>
#include <string.h>

#include "server/server_internal.h"

#define HEARTBEAT_NS (15LL * 1000 * 1000 * 1000)

enum { KINDS_MAX = 64, IDS_MAX = 200, SAID_BYTES = 256 };

struct stream {
  request *q;
  loop *loop;
  event_source *source;
  orr_id instance;    /* whose changes alone it tells; 0: all */
  int64_t changes;    /* of the store, when it was last told */
  int64_t told_ns;
  bool waits;         /* its connection is suspended */
  bool greeted;
  bool limited;       /* it tells that tasks have changed, and not which */
  bool any;           /* something changed, and it is not known what */
  const char *kinds[KINDS_MAX];
  size_t n_kinds;
  orr_id ids[IDS_MAX];
  size_t n_ids;       /* IDS_MAX: too many to name them */
  json_out text;      /* what is to be sent */
  size_t sent;
  struct stream *prev, *next;
};

/* ---- What changed ----------------------------------------------------------------------------- */

/* Records as those who watch call them: what a kind is a part of, beside its own name. */
static const char *const wider_kinds[][2] = {
    {"execution", "instance"},   {"activity", "instance"},    {"subscription", "instance"}, {"flow", "instance"},
    {"link", "task"},            {"external_task", "task"},   {"external", "task"},         {"deployment", "definition"},
    {"job_definition", "definition"}, {"batch_part", "batch"},
};

static void stream_note_kind(struct stream *s, const char *kind) {
  for (size_t i = 0; i < s->n_kinds; i++)
    if (strcmp(s->kinds[i], kind) == 0) return;
  if (s->n_kinds < KINDS_MAX) s->kinds[s->n_kinds++] = kind;
  else s->any = true;
}

static void stream_note_kinds(struct stream *s, const char *kind) {
  static const char past[] = "history_";
  bool history = strncmp(kind, past, strlen(past)) == 0;
  if (history) stream_note_kind(s, "history"), kind += strlen(past);
  stream_note_kind(s, kind);
  for (size_t i = 0; i < sizeof wider_kinds / sizeof wider_kinds[0]; i++)
    if (strcmp(wider_kinds[i][0], kind) == 0) stream_note_kind(s, wider_kinds[i][1]);
}

static void stream_note_id(struct stream *s, orr_id id) {
  for (size_t i = 0; i < s->n_ids && s->n_ids < IDS_MAX; i++)
    if (s->ids[i] == id) return;
  if (id && s->n_ids < IDS_MAX) s->ids[s->n_ids++] = id;
}

/* Of those who may not know of others' instances. */
static bool kind_is_of_tasks(const char *kind) {
  return strcmp(kind, "task") == 0 || strcmp(kind, "link") == 0 || strcmp(kind, "comment") == 0 ||
         strcmp(kind, "attachment") == 0;
}

static void stream_note(struct stream *s, const char *kind, orr_id id) {
  if (s->limited) {
    if (kind_is_of_tasks(kind)) stream_note_kind(s, "task");
    return;
  }
  if (s->instance && id != s->instance) return;
  stream_note_kinds(s, kind);
  stream_note_id(s, id);
}

/* A kind is a name of the engine's own, and lasts; a value's text does not. */
static const char *kind_kept(event_source *from, const orr_value *kind) {
  for (size_t i = 0; i < from->n_kinds; i++)
    if (strlen(from->kinds[i]) == kind->size && memcmp(from->kinds[i], kind->as.bytes, kind->size) == 0) return from->kinds[i];
  char *kept = from->n_kinds < SOURCE_KINDS_MAX ? strndup(kind->as.bytes, kind->size) : NULL;
  return kept ? from->kinds[from->n_kinds++] = kept : NULL;
}

static void source_tell(event_source *from, loop *l, const orr_value *change) {
  orr_value kind = orr_map_get(change, "kind"), id = orr_map_get(change, "id");
  const char *name = kind.type == ORR_STRING ? kind_kept(from, &kind) : NULL;
  for (struct stream *s = l->streams; s; s = s->next) {
    if (s->source != from) continue;
    if (name) stream_note(s, name, id.type == ORR_INT ? (orr_id)id.as.integer : 0);
    else s->any = true;
  }
}

static void source_take(event_source *from, loop *l) {
  orr_builder *b = orr_builder_new();
  orr_value changes, change;
  bool taken = b && !orr_feed_take(from->feed, b, NULL) && !orr_builder_value(b, &changes, NULL);
  if (taken) {
    orr_iterator i = orr_iterate(&changes);
    while (orr_next(&i, NULL, &change)) source_tell(from, l, &change);
  } else {
    source_tell(from, l, &(orr_value){0});
  }
  orr_builder_free(b);
}

/* The loop's feed of an engine, which is open while streams follow it. NULL: it cannot be opened. */
static event_source *source_enter(loop *l, server_engine *e) {
  event_source *from = &l->sources[e - l->server->engines];
  orr_builder *b = from->feed ? NULL : orr_builder_new();
  orr_value what;
  if (b) {
    orr_builder_map(b);
    orr_builder_put(b, "all", orr_bool(true));
    orr_builder_end(b);
    bool open = !orr_builder_value(b, &what, NULL) && !orr_feed_open(e->engine, &from->feed,
        NULL);
    if (open && orr_feed_watch(from->feed, &what, NULL)) orr_feed_close(from->feed), from->feed = NULL;
    orr_builder_free(b);
  }
  if (!from->feed) return NULL;
  from->streams++;
  return from;
}

static void source_leave(event_source *from) {
  if (--from->streams > 0) return;
  orr_feed_close(from->feed);
  for (size_t i = 0; i < from->n_kinds; i++) free(from->kinds[i]);
  *from = (event_source){0};
}

/* ---- What is said ----------------------------------------------------------------------------- */

/* {"kinds": ["task", …], "ids": ["5", …]}; ["any"]: it is not known; without ids: too many, or not
 * for this user. */
static void stream_write_change(struct stream *s) {
  json_out *out = &s->text;
  out_open(out, '{');
  out_key(out, "kinds");
  out_open(out, '[');
  if (s->any) out_text(out, "any");
  for (size_t i = 0; !s->any && i < s->n_kinds; i++) out_text(out, s->kinds[i]);
  out_close(out, ']');
  if (!s->limited && (s->any || s->n_ids < IDS_MAX)) {
    out_key(out, "ids");
    out_open(out, '[');
    for (size_t i = 0; !s->any && i < s->n_ids; i++) out_id(out, s->ids[i]);
    out_close(out, ']');
  }
  out_close(out, '}');
}

static bool stream_say(struct stream *s) {
  int64_t changes = orr_feed_changes(s->source->feed), now = server_now_ns();
  if (!s->greeted) {
    /* a browser that connects again says it in a head, and the address is the one that it had at first */
    const char *last = s->q->last_event ? s->q->last_event : request_argument(s->q, "last");
    bool missed = last && strtoll(last, NULL, 10) != changes;
    out_rawf(&s->text, "retry: 2000\nid: %" PRId64 "\nevent: %s\ndata: {}\n\n", changes, missed ? "reset" : "hello");
  } else if (s->any || s->n_kinds > 0) {
    out_rawf(&s->text, "id: %" PRId64 "\nevent: change\ndata: ", changes);
    stream_write_change(s);
    out_rawf(&s->text, "\n\n");
  } else if (now - s->told_ns > HEARTBEAT_NS) {
    out_rawf(&s->text, ": still here\n\n");
  } else {
    return false;
  }
  s->greeted = true;
  s->any = false;
  s->n_kinds = s->n_ids = 0;
  s->changes = changes;
  s->told_ns = now;
  return true;
}

static ssize_t stream_read(void *ud, uint64_t at, char *out, size_t room) {
  struct stream *s = ud;
  (void)at;
  if (atomic_load(&s->loop->server->draining) || s->text.failed) return MHD_CONTENT_READER_END_OF_STREAM;
  if (!s->greeted) stream_say(s);
  size_t n = s->text.size - s->sent < room ? s->text.size - s->sent : room;
  if (n > 0) memcpy(out, s->text.data + s->sent, n);
  s->sent += n;
  if (n > 0) return (ssize_t)n;
  out_reset(&s->text);
  s->sent = 0;
  s->waits = true;
  MHD_suspend_connection(s->q->connection->mhd);
  return 0;
}

/* ---- Streams ---------------------------------------------------------------------------------- */

static void stream_free(void *ud) {
  struct stream *s = ud;
  if (s->prev) s->prev->next = s->next;
  else s->loop->streams = s->next;
  if (s->next) s->next->prev = s->prev;
  s->loop->n_streams--;
  atomic_fetch_sub(&s->loop->server->stats.streams, 1);
  source_leave(s->source);
  out_free(&s->text);
  free(s);
}

struct MHD_Response *events_response(request *q) {
  loop *l = q->connection->loop;
  struct stream *s = l->n_streams < STREAMS_MAX ? calloc(1, sizeof *s) : NULL;
  event_source *source = s ? source_enter(l, q->engine) : NULL;
  struct MHD_Response *response =
      source ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SAID_BYTES, stream_read, s, stream_free) : NULL;
  if (!response) {
    if (source) source_leave(source);
    free(s);
    return NULL;
  }
  *s = (struct stream){.q = q, .loop = l, .source = source, .instance = q->followed,
                       .limited = q->limited, .next = l->streams};
  if (s->next) s->next->prev = s;
  l->streams = s;
  l->n_streams++;
  atomic_fetch_add(&l->server->stats.streams, 1);
  return response;
}

void events_look(loop *l) {
  bool draining = atomic_load(&l->server->draining);
  for (size_t i = 0; i < l->server->n_engines; i++)
    if (l->sources[i].feed) source_take(&l->sources[i], l);
  for (struct stream *s = l->streams, *next; s; s = next) {
    next = s->next;
    if (!s->waits || (!stream_say(s) && !draining)) continue;
    s->waits = false;
    MHD_resume_connection(s->q->connection->mhd);
  }
}
