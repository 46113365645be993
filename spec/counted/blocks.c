/* For builds with AddressSanitizer. The compiler calls this function at the begin of each basic block of our own code. So a
 * spec can hold what is done with an input against what is done with one of twice its size, and finds the same on every
 * machine. This file itself is compiled without the calls.
 *
 * Each binary has its own copy of the function, and all of them add to the variable of the one that was loaded first: of the
 * command. */
#include "work.h"

__thread uint64_t orrery_work;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { orrery_work++; }
