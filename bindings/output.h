/* The end of the standard output: what could not be written is an error, and never goes unsaid. */
#ifndef ORRERY_OUTPUT_H
#define ORRERY_OUTPUT_H

/* Writes what is buffered. Returns the exit code; a failure when it was 0 and not all was written,
 * which is told once on the standard error. */
int output_end(int code);

#endif
