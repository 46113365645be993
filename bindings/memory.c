/* A lua_Alloc over the engine's allocator. */
#include "memory.h"

#include "base/env.h"

/* Without `ptr` the old size says what kind of object the memory is for. Lua relies on it that shrinking never fails. */
void *memory_allocate(void *ud, void *ptr, size_t old_size, size_t new_size) {
  lua_memory *m = ud;
  size_t old = ptr ? old_size : 0;
  if (new_size == 0) {
    env_free(&m->allocator, ptr, old);
    m->used -= old;
    return NULL;
  }
  m->refused = new_size > old && m->most > 0 && m->used - old + new_size > m->most;
  if (m->refused) return NULL;
  void *memory = env_realloc(&m->allocator, ptr, old, new_size);
  if (!memory && new_size > old) return NULL;
  if (!memory) memory = ptr;
  m->used += new_size - old;
  return memory;
}
