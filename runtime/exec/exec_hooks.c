/* The table of what exec/ does for the rooms below it. */
#include "exec/exec_hooks.h"

#include "exec/awaiting.h"
#include "exec/context_run.h"
#include "exec/event/subscription.h"
#include "exec/node/parallel_join.h"
#include "exec/task/external_task.h"
#include "exec/task/task.h"
#include "job/job.h"

/* The task or external task that a token waits for. */
static int remove_task(context *c, rec_execution *e) {
  rec_task *task = unit_task(c->u, e->task_id, &c->error);
  if (task) return task_remove(c, task, NULL);
  if (c->error.code) return c->error.code;
  rec_external_task *external = unit_external_task(c->u, e->task_id, &c->error);
  return external ? external_remove(c, external, "deleted") : c->error.code;
}

const exec_hooks exec_table = {
    .context_opened = context_run_prepare,
    .context_closed = await_close,
    .context_lost = context_end,
    .context_user = context_set_user,
    .inside = context_inside,
    .drop_calls = await_drop,
    .forget_join = join_forget,
    .drop_joins = join_drop_scope,
    .disarm_scope = disarm,
    .remove_task = remove_task,
    .remove_job = job_remove,
    .tell_task = task_changed,
};
