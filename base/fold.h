/* Texts without regard to case, for comparisons: each character becomes its small letter, by Unicode's simple mapping, in
 * every locale of the host program. Bytes that are no UTF-8 stay as they are. */
#ifndef ORR_BASE_FOLD_H
#define ORR_BASE_FOLD_H

#include <stddef.h>

/* A small letter may need more bytes than its capital, but never twice as many. */
#define FOLD_BOUND(size) ((size) * 2)

/* Writes the folded text to `out`, which has room for FOLD_BOUND(size) bytes; returns its size. Any thread. */
size_t fold_text(const char *text, size_t size, char *out);

#endif
