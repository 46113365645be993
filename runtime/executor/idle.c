/* Rest as a pure function. */
#include "executor/idle.h"

bool idle_shown(const idle_traffic *before, const idle_found *found, const idle_traffic *after) {
  if (found->failed || found->acquired || found->left) return false;
  return !before->in_flight && !after->in_flight && before->handed == after->handed;
}
