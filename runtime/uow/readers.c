/* Remembering the views of the last look. */
#include "uow/readers.h"

#include "base/limits.h"

#define LOOK_NS ((int64_t)1000000000)
#define LONG_NS ((int64_t)ORR_VIEW_LONG_MS * 1000000)

typedef struct reader_look {
  reader_watch *watch;
  int64_t now_ns;
} reader_look;

static bool same_view(const store_reader *a, const store_reader *b) {
  return a->process == b->process && a->thread == b->thread && a->commit == b->commit;
}

static void note_view(void *ud, const store_reader *reader) {
  const reader_look *look = ud;
  reader_watch *w = look->watch;
  if (reader->behind == 0) return;
  uint32_t i = 0;
  while (i < w->count && !same_view(&w->views[i].reader, reader)) i++;
  if (i == READERS_WATCHED_MAX) return;
  held_view *v = &w->views[i];
  if (i == w->count) {
    w->count++;
    *v = (held_view){.since_ns = look->now_ns, .tell_at_ns = look->now_ns + LONG_NS};
  }
  v->reader = *reader;
  v->seen = true;
}

static void tell_if_long(held_view *v, int64_t now_ns, reader_told told, void *ud) {
  if (now_ns < v->tell_at_ns) return;
  v->told = true;
  v->tell_at_ns = now_ns + (now_ns - v->since_ns);
  told(ud, &v->reader, (now_ns - v->since_ns) / 1000000, false);
}

static void sum_up(reader_watch *w, int64_t now_ns) {
  uint32_t count = 0;
  int64_t longest = 0;
  for (const held_view *v = w->views; v < w->views + w->count; v++) {
    int64_t held = now_ns - v->since_ns;
    if (held >= LONG_NS) count++;
    if (held > longest) longest = held;
  }
  atomic_store(&w->long_count, count);
  atomic_store(&w->longest_ms, longest / 1000000);
}

held_views readers_held(const reader_watch *w) {
  return (held_views){.count = atomic_load(&w->long_count), .longest_ms = atomic_load(&w->longest_ms)};
}

void readers_watch(reader_watch *w, store *s, int64_t now_ns, reader_told told, void *ud) {
  if (now_ns < w->look_at_ns) return;
  w->look_at_ns = now_ns + LOOK_NS;
  for (uint32_t i = 0; i < w->count; i++) w->views[i].seen = false;
  store_readers(s, note_view, &(reader_look){w, now_ns});
  uint32_t kept = 0;
  for (uint32_t i = 0; i < w->count; i++) {
    held_view *v = &w->views[i];
    if (v->seen) tell_if_long(v, now_ns, told, ud);
    else if (v->told) told(ud, &v->reader, (now_ns - v->since_ns) / 1000000, true);
    if (v->seen) w->views[kept++] = *v;
  }
  w->count = kept;
  sum_up(w, now_ns);
}
