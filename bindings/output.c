/* The last look at the standard output. */
#include "bindings/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A list that is cut off must not look like one that ends. */
int output_end(int code) {
  static bool told;
  bool flushed = fflush(stdout) == 0;
  if (flushed && !ferror(stdout)) return code;
  if (!told) fputs("orrery: not all of the standard output could be written\n", stderr);
  told = true;
  return code ? code : EXIT_FAILURE;
}
