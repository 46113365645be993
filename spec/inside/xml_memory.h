/* libxml2's memory, which has no allocator of ours: it fails at the n-th request. For the whole process, so for one thread
 * at a time. */
#ifndef ORR_INSIDE_XML_MEMORY_H
#define ORR_INSIDE_XML_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The n-th request from now on fails (0: none), and with `forever` all behind it. */
void xml_memory_arm(size_t fail_at, bool forever);
/* Gives libxml2 its own functions back. How many blocks were taken and not given back; *refused: whether a request failed. */
long xml_memory_disarm(bool *refused);

#endif
