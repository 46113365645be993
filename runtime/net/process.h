/* Child processes of a client. */
#ifndef ORR_NET_PROCESS_H
#define ORR_NET_PROCESS_H

#include "net/client.h"

/* Ends the processes that run, but for detached ones, which are let go. */
void processes_close(net_client *client);

typedef struct net_process {
  const char *const *arguments;   /* NULL at the end; the first is the program, by its path */
  const char *directory;          /* NULL: the host program's */
  bool clean_environment;
  bool merge_errors;              /* standard error goes where standard output does */
  bool detached;                  /* answers when it has started; its output is thrown away, and the loop reaps it */
  int64_t total_ms;               /* 0: no bound; then TERM, and KILL, to its whole group */
  int64_t output_max;             /* bytes of each stream */
} net_process;

typedef struct net_exit {
  int64_t code;                   /* 128 + signal when a signal ended it */
  net_text output, errors;
} net_exit;

typedef void (*net_spawn_done)(void *ud, const net_exit *result, net_error error, const char *message);

/* NULL with `err` filled: ORR_E_NOT_FOUND with the reason when the program cannot be started. */
net_call *net_spawn(net_client *client, const net_process *process, net_spawn_done done, void *ud, orr_error *err);

#endif
