/* A count for each port. */
#include "base/serving.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PORTS = 65536 };

static _Atomic uint16_t served[PORTS];

static bool is_port(int port) { return port > 0 && port < PORTS; }

void serving_begin(int port) {
  if (is_port(port)) atomic_fetch_add(&served[port], 1);
}

void serving_end(int port) {
  if (is_port(port)) atomic_fetch_sub(&served[port], 1);
}

bool serving_at(int port) { return is_port(port) && atomic_load(&served[port]) > 0; }
