/* Views of the store that some process holds for long.
 *
 * The store gives out no page again that the oldest open view may still see. So while such a view
 * is held, every commit makes the file larger, and nothing else shows why. Nobody can take a view
 * away from its holder, but the log can name the holder. */
#ifndef ORR_UOW_READERS_H
#define ORR_UOW_READERS_H

#include <stdatomic.h>

#include "store/store.h"

#define READERS_WATCHED_MAX 64 /* of more, only some are reported: one is enough to hold every page back */

typedef struct held_view {
  store_reader reader;
  int64_t since_ns; /* when a look first found newer commits */
  int64_t tell_at_ns;
  bool told, seen;
} held_view;

/* Zero it before the first use. */
typedef struct reader_watch {
  held_view views[READERS_WATCHED_MAX];
  uint32_t count;
  int64_t look_at_ns; /* when readers_watch looks again */
  _Atomic uint32_t long_count; /* readers_held */
  _Atomic int64_t longest_ms;
} reader_watch;

/* `ended`: a view that was reported is no longer held. */
typedef void (*reader_told)(void *ud, const store_reader *reader, int64_t held_ms, bool ended);

/* Looks once a second at most. Reports a view that has been behind newer commits for
 * ORR_VIEW_LONG_MS, again whenever that time has doubled, and when it ends. A view at the latest
 * commit holds nothing back and does not count. */
void readers_watch(reader_watch *w, store *s, int64_t now_ns, reader_told told, void *ud);

typedef struct held_views {
  uint32_t count;     /* held for ORR_VIEW_LONG_MS and more */
  int64_t longest_ms; /* of any; 0: none is held behind newer commits */
} held_views;
/* As of the last look. Any thread. */
held_views readers_held(const reader_watch *w);

#endif
