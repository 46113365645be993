/* A store that another process inherits through fork: LMDB's locks and its map, and a database's
 * connections, belong to the process that opened them. */
#ifndef ORR_STORE_FORK_CHECK_H
#define ORR_STORE_FORK_CHECK_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct fork_check {
  volatile unsigned char *page; /* the kernel wipes it in a child; NULL where it cannot: then pids are compared */
  pid_t pid;
} fork_check;

/* Remembers this process, so that fork_check_in_child recognizes a child. */
void fork_check_start(fork_check *check);
/* Gives the page back. */
void fork_check_stop(fork_check *check);
/* Is the caller a child of the process that started the check? */
bool fork_check_in_child(const fork_check *check);

#endif
