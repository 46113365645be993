/* Starting an instance as a command's options say. */
#ifndef ORR_COMMAND_START_COMMANDS_H
#define ORR_COMMAND_START_COMMANDS_H

#include "exec/instance.h"

typedef struct start_mode {
  const orr_value *instructions; /* checked (modify_commands.h), instead of a start event; NULL: none */
  uint32_t flags;                /* OP_SKIP_* */
  bool async;                    /* a job begins it, after the commit */
} start_mode;

/* Creates the instance, and plans its first steps or makes a job that will. */
int start_in_mode(context *c, start_request *request, const start_mode *mode, rec_instance **out);
/* A start timer fires: starts an instance; a cycle continues. */
int timer_start_job(context *c, rec_job *job);
/* Begins an instance that was started asynchronously. */
int start_async_job(context *c, rec_job *job);
/* The whole of orr_engine_instance_start within a command: *out has the started instances. */
int start_by_options(context *c, const orr_start_options *options, orr_records **out);

#endif
