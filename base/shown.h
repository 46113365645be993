/* Text of others as a terminal or a log may have it: control characters and line breaks become
 * escapes, so that a text can neither give orders to a terminal nor begin a line of its own. */
#ifndef ORR_SHOWN_H
#define ORR_SHOWN_H

#include <stdbool.h>
#include <stddef.h>

/* Room for what one character becomes, with a zero behind it. */
#define SHOWN_CHARACTER_BYTES 12
/* So many times the bytes of a text are enough for what it becomes. */
#define SHOWN_GROWTH 5

/* What the character at `at`, of `left` > 0 bytes, becomes: fills `out`, returns the bytes that it
 * takes of the text. With `lines` a line break stays one, with four blanks behind it. */
size_t shown_character(const char *at, size_t left, bool lines, char out[SHOWN_CHARACTER_BYTES]);

/* A whole text, its lines kept, into `out`; what has no room there is left out. */
void shown_lines(const char *text, char *out, size_t room);

#endif
