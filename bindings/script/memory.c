/* A lua_Alloc over the engine's allocator, or over that of the host program's own Lua state. */
#include "bindings/script/memory.h"

#include "base/env.h"

static void *resize(lua_memory *m, void *ptr, size_t old_size, size_t old, size_t new_size) {
  if (m->borrowed) return m->borrowed(m->borrowed_ud, ptr, old_size, new_size);
  if (new_size > 0) return env_realloc(&m->allocator, ptr, old, new_size);
  env_free(&m->allocator, ptr, old);
  return NULL;
}

static void charge(lua_memory *m, int64_t steps) {
  m->steps += steps;
  if (m->steps_most == 0 || m->steps <= m->steps_most) return;
  m->steps_most = 0;
  m->alarm(m);
}

/* May the state grow by so much? */
static bool allowed(lua_memory *m, int64_t growth) {
  int64_t beyond = m->used + growth - m->most;
  if (m->most == 0 || beyond <= 0) return true;
  if (beyond > m->spare) {
    charge(m, m->used / MEMORY_COLLECTED_A_STEP);
    return false;
  }
  if (!m->over) m->alarm(m);
  m->over = true;
  return true;
}

/* Without `ptr` the old size says what kind of object the memory is for. Lua relies on it that
 * shrinking never fails. */
void *memory_allocate(void *ud, void *ptr, size_t old_size, size_t new_size) {
  lua_memory *m = ud;
  size_t old = ptr ? old_size : 0;
  bool grows = new_size > old;
  int64_t growth = (int64_t)new_size - (int64_t)old;
  if (grows) m->refused = !allowed(m, growth);
  if (grows && m->refused) return NULL;
  void *memory = resize(m, ptr, old_size, old, new_size);
  if (!memory && grows) return NULL;
  if (!memory && new_size > 0) memory = ptr;
  m->used += growth;
  if (grows && m->steps_most > 0) charge(m, growth / MEMORY_BYTES_A_STEP);
  return memory;
}
