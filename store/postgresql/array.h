/* Arrays as the server reads them, in binary. */
#ifndef ORR_STORE_POSTGRESQL_ARRAY_H
#define ORR_STORE_POSTGRESQL_ARRAY_H

#include "base/env.h"
#include "store/bytes.h"
#include "store/postgresql/connection.h"

typedef enum array_type { ARRAY_BYTES = 17, ARRAY_NUMBERS = 20 } array_type; /* the server's numbers of bytea and int8 */

/* All zeros is an empty one; its memory is used again after array_begin. */
typedef struct array {
  char *data;
  size_t size, capacity;
  uint32_t count, type;
} array;

/* These answer false when memory is out: */
bool array_begin(const orr_allocator *allocator, array *a, array_type type);
bool array_add(const orr_allocator *allocator, array *a, const void *data, size_t size);
bool array_add_number(const orr_allocator *allocator, array *a, int64_t number);
/* Nothing is added any more. */
void array_end(array *a);
/* Appends an array that has its end to a question's parameters: its bytes stay its own. */
void array_parameter(const array *a, postgres_parameters *out);
/* Gives its memory back; it is an empty one then. */
void array_free(const orr_allocator *allocator, array *a);

#endif
