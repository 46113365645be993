/* Functions that count libxml2's requests for memory, and refuse some. */
#include "xml_memory.h"

#include <libxml/parser.h>
#include <libxml/xmlmemory.h>
#include <stdlib.h>
#include <string.h>

static struct {
  xmlFreeFunc free;
  xmlMallocFunc malloc;
  xmlReallocFunc realloc;
  xmlStrdupFunc strdup;
  size_t requests, fail_at;
  long live;
  bool forever, refused;
} memory;

static bool refuses(void) {
  memory.requests++;
  bool now = memory.fail_at > 0 && (memory.forever ? memory.requests >= memory.fail_at : memory.requests == memory.fail_at);
  memory.refused = memory.refused || now;
  return now;
}

static void give(void *block) {
  if (block) memory.live--;
  memory.free(block);
}

static void *take(size_t size) {
  void *block = refuses() ? NULL : memory.malloc(size);
  if (block) memory.live++;
  return block;
}

static void *resize(void *old, size_t size) {
  void *block = refuses() ? NULL : memory.realloc(old, size);
  if (block && !old) memory.live++;
  return block;
}

static char *copy(const char *text) {
  size_t size = strlen(text) + 1;
  char *made = take(size);
  return made ? memcpy(made, text, size) : NULL;
}

void xml_memory_arm(size_t fail_at, bool forever) {
  xmlInitParser(); /* what it takes for good */
  xmlMemGet(&memory.free, &memory.malloc, &memory.realloc, &memory.strdup);
  memory.requests = 0;
  memory.live = 0;
  memory.fail_at = fail_at;
  memory.forever = forever;
  memory.refused = false;
  xmlMemSetup(give, take, resize, copy);
}

long xml_memory_disarm(bool *refused) {
  xmlResetLastError(); /* keeps copies of its texts */
  xmlMemSetup(memory.free, memory.malloc, memory.realloc, memory.strdup);
  *refused = memory.refused;
  return memory.live;
}
