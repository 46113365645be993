/* Starting an instance in the manner that a command's options ask for. */
#ifndef ORR_COMMAND_START_COMMANDS_H
#define ORR_COMMAND_START_COMMANDS_H

#include "exec/instance.h"

typedef struct start_mode {
  const orr_value *instructions; /* checked ones (modify_commands.h), in place of a start event; NULL: none */
  uint32_t flags;                /* OP_SKIP_* */
  bool async;                    /* by a job, behind the commit */
} start_mode;

/* Creates the instance and plans, or has a job plan, its first steps. */
int start_in_mode(context *c, start_request *request, const start_mode *mode, rec_instance **out);
/* A job that starts an instance by a timer; a cycle goes on. */
int timer_start_job(context *c, rec_job *job);
/* A job by which an instance begins that was started asynchronously. */
int start_async_job(context *c, rec_job *job);
/* The whole of orr_engine_start within a command: its records are what started. */
int start_by_options(context *c, const orr_start_options *options, orr_records **out);

#endif
