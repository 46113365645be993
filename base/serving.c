/* A bit for each port. */
#include "base/serving.h"

#include <stdatomic.h>
#include <stdint.h>

enum { PORTS = 65536, WORD_BITS = 32 };

static _Atomic uint32_t served[PORTS / WORD_BITS];

static bool is_port(int port) { return port > 0 && port < PORTS; }

static uint32_t bit_of(int port) { return UINT32_C(1) << (port % WORD_BITS); }

void serving_begin(int port) {
  if (is_port(port)) atomic_fetch_or(&served[port / WORD_BITS], bit_of(port));
}

void serving_end(int port) {
  if (is_port(port)) atomic_fetch_and(&served[port / WORD_BITS], ~bit_of(port));
}

bool serving_at(int port) {
  return is_port(port) && (atomic_load(&served[port / WORD_BITS]) & bit_of(port)) != 0;
}
