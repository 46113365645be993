/* Views of the store that somebody holds for long, in whatever process.
 *
 * The store gives no page out again that the oldest open view may still see. So while one is held, every commit makes the
 * file larger, and nothing else tells why. A view cannot be taken away from its holder; it can be named. */
#ifndef ORR_UOW_READERS_H
#define ORR_UOW_READERS_H

#include <stdatomic.h>

#include "store/store.h"

#define READERS_WATCHED_MAX 64 /* of more only some are told of: one is enough to hold every page back */

typedef struct held_view {
  store_reader reader;
  int64_t since_ns; /* newer commits have left it behind since then, as far as was seen */
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

/* `ended`: a view that was told of is held no more. */
typedef void (*reader_told)(void *ud, const store_reader *reader, int64_t held_ms, bool ended);

/* Once a second at most: tells of a view that has been held for ORR_VIEW_LONG_MS behind newer commits, again whenever that
 * time has doubled, and when it is over. Views at the latest commit hold nothing back and do not count. */
void readers_watch(reader_watch *w, store *s, int64_t now_ns, reader_told told, void *ud);

typedef struct held_views {
  uint32_t count;     /* held for ORR_VIEW_LONG_MS and more */
  int64_t longest_ms; /* of any; 0: none is held behind newer commits */
} held_views;
/* As of the last look. Any thread. */
held_views readers_held(const reader_watch *w);

#endif
