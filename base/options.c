/* Option structs, by the size that their caller knows. */
#include "base/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

static bool all_zero(const char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (bytes[i]) return false;
  return true;
}

const void *options_take(void *own, size_t size, const void *given, orr_error *err) {
  uint32_t given_size = (uint32_t)size;
  memset(own, 0, size);
  if (given) memcpy(&given_size, given, sizeof given_size);
  if (given_size < sizeof given_size) {
    error_set(err, ORR_E_ARGUMENT, "the options have no size: their first field is sizeof of their type");
    return NULL;
  }
  if (given_size > size && !all_zero((const char *)given + size, given_size - size)) {
    error_set(err, ORR_E_ARGUMENT,
              "the options set a field that this version does not know: they have %" PRIu32 " bytes, known are %zu", given_size,
              size);
    return NULL;
  }
  if (given) memcpy(own, given, given_size < size ? given_size : size);
  uint32_t own_size = (uint32_t)size;
  memcpy(own, &own_size, sizeof own_size);
  return own;
}
