/* A region allocator: everything a unit of work, a parse or a query makes lives in one arena and goes with it.
 * Nothing is freed alone. Not thread-safe; an arena belongs to whoever runs the work. */
#ifndef ORR_ARENA_H
#define ORR_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "base/env.h"

typedef struct orr_arena orr_arena;

/* NULL when memory is out. The arena itself lives in its first chunk. */
orr_arena *arena_new(const orr_allocator *allocator);
/* The same for what is mostly less than a kilobyte, and made and freed with each call. */
orr_arena *arena_new_small(const orr_allocator *allocator);
/* Frees everything made since arena_new but keeps the first chunk for the next work. */
void arena_reset(orr_arena *arena);
/* Frees everything, the arena itself included. NULL is fine. */
void arena_free(orr_arena *arena);

/* 16-byte aligned, not cleared; NULL when memory is out. */
void *arena_alloc(orr_arena *arena, size_t size);
/* The same, cleared. */
void *arena_zalloc(orr_arena *arena, size_t size);
/* Grows the latest allocation in place when it can; else copies, and `old` is lost until the arena goes. NULL: memory is
 * out, and `old` is still good. `old` may be NULL. */
void *arena_grow(orr_arena *arena, void *old, size_t old_size, size_t new_size);
/* NUL-terminated copies; NULL when memory is out: */
char *arena_strndup(orr_arena *arena, const char *text, size_t size);
char *arena_strdup(orr_arena *arena, const char *text);
char *arena_printf(orr_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(orr_arena *arena, const char *format, va_list args);
/* Bytes handed out since arena_new or arena_reset; for limits and metrics. */
size_t arena_used(const orr_arena *arena);

#define ARENA_NEW(arena, type) ((type *)arena_zalloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_zalloc((arena), sizeof(type) * (size_t)(n)))

/* Room for one more in a growing array of an arena: `items` (of `capacity`, an lvalue of any unsigned type) moves when
 * `count` has reached it, to twice its size, at first to `first`. False: memory is out, and nothing has changed. */
#define ARENA_ROOM(arena, items, count, capacity, first)                                                      \
  ((count) < (capacity) || ({                                                                                 \
    __typeof__(capacity) room_ = (capacity) ? (capacity) * 2 : (first);                                       \
    void *grown_ = arena_grow((arena), (items), (capacity) * sizeof *(items), room_ * sizeof *(items));       \
    if (grown_) (items) = grown_, (capacity) = room_;                                                         \
    grown_;                                                                                                   \
  }))

#endif
