/* What there is to be had of a topic's external tasks. */
#ifndef SERVER_TOPIC_LOOK_H
#define SERVER_TOPIC_LOOK_H

#include <stddef.h>
#include <stdint.h>

#include "orrery.h"

enum { TOPIC_LOCK_FAR_MS = 1000 }; /* `left_ms` where no lock is known to end sooner */

typedef struct topic_state {
  size_t free;     /* tasks that could be had, up to as many as were asked for */
  bool waits;      /* there are some that may be free without being changed */
  int64_t left_ms; /* until the next lock ends */
} topic_state;

/* Asks for up to `most` tasks. Where the engine does not answer, there may be some. Any thread. */
topic_state topic_look(orr_engine *engine, const char *name, size_t most);

#endif
