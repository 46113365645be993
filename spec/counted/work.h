/* What this thread has done, in basic blocks. */
#ifndef ORR_COUNTED_WORK_H
#define ORR_COUNTED_WORK_H

#include <stdint.h>

/* The static model spares a call for each block. */
extern __thread uint64_t orrery_work __attribute__((visibility("default"), tls_model("initial-exec")));

#endif
