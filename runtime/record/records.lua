-- Every record of the store, described once. generate.lua makes from this: the C structs, encoders and decoders, the upkeep of
-- index rows, the table that queries are planned with, and the fields that Lua sees.
--
-- A record's key is its tag byte and its id (8 bytes, big-endian). An id is group << 23 | local: everything an instance owns has the
-- instance's group, so one instance's records of a kind lie together, and ids grow with time. The instance itself is local 1.
-- Variables, links and other records without an id of their own name their key in `key`.
--
-- field = { name, type, [api = "name in the Lua API" | false], [query = false] }
--   types: id, bool, int (varint), time (ms; 0 none), u8 (enumerations), node (index into the definition + 1; 0 none),
--          text (NULL or string), value (an encoded orr_value), ids (list of id), texts (list of text)
-- index = { name, fields, [when = C condition over `r`], [complete = true: a record without a row cannot have the fields looked for],
-- [desc = { field = true }], [hash = true: long texts],
-- [own_group = true: the first field, where it is not 0, is an id of the record's own group] }
--   An index row's key: tag byte 'i', index number, the fields order-preserving, then the record's key.
-- succession = the field in which a record that lies at the key of an earlier one says the local number of its own id (uow/succession.h).
-- memory = C members that live only inside a unit of work (links between loaded records); never stored.
--
-- A record's layout version grows when fields are added: they are appended with `since` = the new version, and decoders read every
-- earlier one; a field that is not needed any more keeps its place, with `gone`. Index numbers are stored: they count through this file,
-- so an index added later takes an unused one with `number`.
--
-- Builds that do not know a layout may have the store open beside this one, so a field that comes later gets a `level`, too: the least
-- store level (STORE_LEVEL) that knows it. A record in which no such field is set is written in the layout from before, and who sets one
-- asks store_level first.

local function record(r) return r end

return {
  format = 3, -- of the whole store; an unknown one is refused untouched

  record { -- one row: the store's own settings and counters
    name = "meta", tag = "M", key = { { "name", "text" } },
    fields = { { "value", "value" } },
  },

  -- Repository ------------------------------------------------------------------------------------------------------------

  record {
    name = "deployment", tag = "D", verb = "deployments",
    fields = {
      { "name", "text" }, { "time", "time" }, { "tenant", "text" }, { "source", "text" }, { "active_at", "time", api = false },
    },
    indexes = { { "deployment_name", { "name" }, hash = true } },
  },
  record { -- bytes are cut into pieces only by LMDB itself
    name = "resource", tag = "B", key = { { "deployment_id", "id" }, { "name", "text" } },
    fields = { { "bytes", "text" } },
  },
  record {
    name = "definition", tag = "P", verb = "definitions",
    fields = {
      { "key", "text" }, { "version", "int" }, { "version_tag", "text" }, { "name", "text" }, { "category", "text" },
      { "deployment_id", "id" }, { "resource", "text" }, { "tenant", "text" }, { "suspended", "bool" }, { "documentation", "text" },
      { "history_time_to_live", "value" }, { "startable", "bool" },
      { "starter_users", "texts", api = false }, { "starter_groups", "texts", api = false },
      { "latest", "bool", gone = true }, -- follows from the versions there are
      { "start_form_key", "text", since = 2 }, -- of the none start event, else of the first that has one
    },
    indexes = {
      { "definition_key", { "key", "version" }, hash = true, desc = { version = true } },
      { "definition_deployment", { "deployment_id" } },
    },
  },
  record {
    name = "job_definition", tag = "Q", verb = "job_definitions",
    fields = {
      { "definition_id", "id" }, { "definition_key", "text" }, { "deployment_id", "id" }, { "node", "node", api = false },
      { "activity_id", "text" }, { "type", "text" }, { "handler", "text" }, { "tenant", "text" },
      { "has_priority", "bool", api = false }, { "priority_override", "int", api = false }, { "suspended", "bool" },
    },
  },

  record { -- a decision or decision service of a DMN resource
    name = "decision", tag = "U", verb = "decisions",
    fields = {
      { "key", "text" }, { "version", "int" }, { "version_tag", "text" }, { "name", "text" }, { "kind", "text" }, -- decision, service
      { "deployment_id", "id" }, { "resource", "text" }, { "tenant", "text" },
      { "model_id", "text" }, { "model_name", "text" }, -- of the whole resource
      { "history_time_to_live", "text" },
    },
    indexes = {
      { "decision_key", { "key", "version" }, number = 70, hash = true, desc = { version = true } },
      { "decision_name", { "name", "version" }, number = 71, hash = true, desc = { version = true } },
      { "decision_deployment", { "deployment_id" }, number = 72 },
    },
  },

  -- What runs -------------------------------------------------------------------------------------------------------------

  record { -- the root scope of an instance; its id is local 1 of its group
    name = "instance", tag = "I", verb = "instances",
    fields = {
      { "definition_id", "id" }, { "definition_key", "text" }, { "business_key", "text" }, { "tenant", "text" },
      { "root_id", "id" }, -- the topmost calling instance, or itself
      { "super_execution", "id", api = false }, -- the calling token, in another group
      { "parent_id", "id" }, -- the calling instance
      { "suspended", "bool" }, { "started_at", "time" }, { "initiator", "text" },
      { "children", "int", api = false }, -- live child executions of the root scope
      { "next_local", "int", api = false }, -- the next id of the group
      { "flags", "int", api = false }, -- ORR_SCOPE_*: what there may be below this scope, so that nothing is looked for in vain
      { "call_depth", "int", api = false },
      { "start_node", "node", api = false },
      { "sequence", "int", api = false }, -- of history rows
      { "trace", "text", since = 2, api = false }, -- that it was started in (base/trace.h: trace_write); mostly none
    },
    indexes = {
      { "instance_definition", { "definition_id" } },
      { "instance_business_key", { "business_key" }, complete = true, when = "r->business_key.size > 0", hash = true },
      { "instance_root", { "root_id" }, when = "r->parent_id != 0" },
      { "instance_parent", { "parent_id" }, complete = true, when = "r->parent_id != 0" },
    },
    memory = "struct rec_relation rel[UNIT_RELATIONS]; struct rec_own own; /* its variables made in this unit */ "
      .. "uint32_t canceled_by; /* it is to be deleted, by which run: exec/cancel.c */",
  },
  record { -- a token; when it stands in an activity with a scope of its own, it is that scope
    name = "execution", tag = "E", verb = "executions",
    fields = {
      { "parent", "id", api = "parent_id" }, -- the enclosing scope: another execution or the instance
      { "node", "node", api = false }, -- where it stands
      { "flow", "node", api = false }, -- the flow it is about to take, or came by
      { "state", "u8", api = false }, -- state/lifecycle.h
      { "scope", "bool", api = false }, -- has local variables or children of its own
      { "flags", "int", api = false }, -- ORR_SCOPE_*
      { "children", "int", api = false }, -- live child executions
      { "called_id", "id", api = false }, -- the called instance, while in a call activity
      { "task_id", "id", api = false }, -- the user task or external task it waits for
      { "job_id", "id", api = false }, -- the async job that will continue it
      { "activity_instance", "int", api = false }, -- sequence of its history row + 1; 0 none
      { "loop_counter", "int", api = false }, -- index of an inner instance + 1; 0: not one
      { "kind", "u8", api = false }, -- state/execution.h: token, multi-instance body, event scope, ...
      { "data", "value", api = false }, -- what its behavior keeps
      { "thrower", "id", api = false }, -- compensation: what waits for this handler's token
      { "armed_rows", "int", since = 2, api = false }, -- sequence + 1 of the first history row of its armed boundary events; 0 none
      { "n_armed_rows", "int", since = 2, api = false },
    },
    indexes = {
      { "execution_child", { "parent" }, own_group = true, when = "orr_id_local(r->parent) != 1" },
      { "execution_called", { "called_id" }, when = "r->called_id != 0" },
    },
    memory = "struct rec_relation rel[UNIT_RELATIONS]; struct rec_own own; /* its variables made in this unit */ "
      .. "uint32_t n_awaiting; /* pending calls about it: exec/awaiting.h */ "
      .. "uint32_t canceled_by; uint8_t was; /* it is to be canceled, by which run, and what it was before: exec/cancel.c */ "
      .. "bool overtaken; /* another cancel has come to it, and gone on */",
  },
  record { -- tokens that wait at a joining gateway
    name = "join", tag = "J", key = { { "scope", "id" }, { "node", "int" }, { "flow", "int" } },
    fields = { { "waiting", "ids" }, { "distinct", "int" } }, -- flow 0 is the gateway's own row: how many flows have a token
  },
  record {
    name = "variable", tag = "V", verb = "variables", key = { { "scope", "id" }, { "name", "text", api = false } },
    fields = { { "value", "value" }, { "created", "time" } },
    -- not of those that the runtime keeps for itself (VARIABLE_HIDDEN)
    indexes = { { "variable_name", { "name", "value" }, number = 91, when = "r->name.data[0] != '\x1f'", hash = true } },
  },
  record {
    name = "subscription", tag = "S", verb = "subscriptions",
    fields = {
      { "type", "text" }, -- message, signal, conditional, compensation
      { "name", "text" }, { "node", "node", api = false }, { "activity_id", "text" },
      { "execution_id", "id" }, -- the waiting token or scope; 0: a start event
      { "instance_id", "id" }, { "definition_id", "id" }, { "created", "time" }, { "tenant", "text" },
      { "business_key", "text", api = false },
      { "data", "value", api = false }, -- compensation: which handler, which snapshot
    },
    indexes = {
      { "subscription_name", { "type", "name", "business_key" }, hash = true },
      { "subscription_execution", { "execution_id" }, own_group = true, complete = true, when = "r->execution_id != 0" },
    },
  },
  record {
    name = "task", tag = "T", verb = "tasks",
    fields = {
      { "name", "text" }, { "key", "text" }, { "description", "text" }, { "assignee", "text" }, { "owner", "text" },
      { "priority", "int" }, { "due", "time" }, { "follow_up", "time" }, { "created", "time" }, { "category", "text" },
      { "form_key", "text" }, { "instance_id", "id" }, { "execution_id", "id" }, { "definition_id", "id" }, { "definition_key", "text" },
      { "suspended", "bool" }, { "delegation", "text" }, { "tenant", "text" }, { "node", "node", api = false },
      { "last_updated", "time", since = 2 },
      { "parent_id", "id", since = 2 }, -- the task that it is a part of
      { "has_parts", "bool", api = false, since = 2 }, -- it is some task's parent, or was
      { "own_id", "text", since = 3, level = 5 }, -- the name that its maker gave it beside its id
    },
    indexes = {
      { "task_own_id", { "own_id" }, number = 112, complete = true, when = "r->own_id.size > 0",
        hash = true },
      { "task_parent", { "parent_id" }, number = 105, complete = true, when = "r->parent_id != 0" },
      { "task_assignee", { "assignee" }, complete = true, when = "r->assignee.size > 0", hash = true },
    },
    memory = "uint8_t phase; /* task/task.c: what its listeners are about */ rec_text told; /* assignee that assignment listeners know */",
  },
  record {
    name = "link", tag = "L", key = { { "task_id", "id" }, { "type", "text" }, { "user", "text" }, { "group", "text" } },
    fields = {},
    indexes = {
      { "link_user", { "user", "task_id" }, complete = true, when = "r->user.size > 0", hash = true },
      { "link_group", { "group", "task_id" }, complete = true, when = "r->group.size > 0", hash = true },
    },
  },
  record {
    name = "external_task", tag = "X", verb = "external_tasks",
    fields = {
      { "topic", "text" }, { "worker", "text" }, { "lock_expires", "time" }, { "created", "time" }, { "retries", "value" },
      { "priority", "int" }, { "error", "text" }, { "details", "text" }, { "suspended", "bool" }, { "activity_id", "text" },
      { "instance_id", "id" }, { "execution_id", "id" }, { "definition_id", "id" }, { "definition_key", "text" },
      { "version_tag", "text" }, { "business_key", "text" }, { "tenant", "text" }, { "node", "node", api = false },
      { "leased", "bool", api = false, since = 2 }, -- holds a lease of its topic's limit
      { "trace", "text", since = 3, api = false }, -- in which it was made
    },
    indexes = { { "external_topic", { "topic", "priority" }, hash = true, desc = { priority = true } } },
  },

  -- Jobs ------------------------------------------------------------------------------------------------------------------

  record {
    name = "job", tag = "W", verb = "jobs", succession = "local",
    fields = {
      { "kind", "u8", api = false }, -- job/job.h: what to do
      { "state", "u8", api = false }, -- job/job.h: waiting (due lies ahead), ready, locked, exhausted, suspended
      { "node", "node", api = false }, { "flow", "node", api = false },
      { "instance_id", "id" }, { "execution_id", "id" }, { "root_id", "id" }, { "definition_id", "id" }, { "definition_key", "text" },
      { "deployment_id", "id" }, { "job_definition_id", "id" },
      { "due", "time" }, { "created", "time" }, { "retries", "int" }, { "priority", "int" }, { "exclusive", "bool" },
      { "suspended", "bool" }, { "lock_owner", "text", gone = true }, { "lock_expires", "time", gone = true }, -- now the owner's
      { "error", "text" }, { "traceback", "text", api = false }, { "failed_activity_id", "text" }, { "tenant", "text" },
      { "repeat_left", "int", api = false }, -- firings of a cycle that remain; -1 without end
      { "repeat_from", "time", api = false }, -- anchor of a cycle's grid
      { "attempts", "int", api = false }, -- how often it was locked since its last failure: part of the idempotency key
      { "failures", "int", api = false }, -- position in a list of retry intervals
      { "data", "value", api = false }, -- the evaluated timer text, a signal's variables, ...
      { "crashes", "int", since = 2, api = false }, -- how often the process died while this job was on one of its threads
      { "limit_key", "text", since = 2 }, -- what its activity's limitKey gave
      { "throttled_by", "text", since = 2, api = false }, -- while throttled: the limit that is full
      { "leases", "u8", since = 2, api = false }, -- job/limit.h: the limits that it counts against
      { "exclusive_scope", "id", since = 2, api = false }, -- locked: whose `exclusive` record counts it; 0: the instance's
      { "held_by", "id", since = 3, api = false }, -- suspended because this suspended instance, a caller, could not go on
      { "waits_for", "text", since = 4 }, -- a delegate that was not there when it last ran
      { "owner", "id", since = 5, api = false }, -- number of the `owner` that has it locked; 0: nobody
      { "trace", "text", since = 6, api = false }, -- in which it was made, and will run
      { "quarantine", "u8", since = 7, level = 2, api = false }, -- job/job.h: a process may have died of it
      -- numbers of its instance that it has set aside, and where those end (state/numbers.h)
      { "next_local", "int", since = 8, level = 3, api = false }, { "local_end", "int", since = 8, level = 3, api = false },
      { "next_sequence", "int", since = 8, level = 3, api = false },
      { "sequence_end", "int", since = 8, level = 3, api = false },
      { "local", "int", since = 9, level = 4, api = false }, -- of its id, while it lies where the job before it lay; else 0
    },
    indexes = {
      { "job_held", { "held_by" }, number = 67, when = "r->held_by != 0" },
      { "job_failed", { "definition_id" }, number = 93, when = "r->retries <= 0" }, -- suspended ones, too
      { "job_exhausted", { "created" }, number = 66, when = "r->state == ORR_JOB_EXHAUSTED" },
      { "job_throttled", { "throttled_by", "priority" }, number = 64, when = "r->state == ORR_JOB_THROTTLED", hash = true,
        desc = { priority = true } },
      { "job_due", { "due" }, when = "r->state == ORR_JOB_WAITING" },
      -- with `exclusive`, what an owner has locked; an exclusive job costs no row (executor/owner/claims.h)
      { "job_locked", { "owner" }, when = "r->owner != 0 && !r->exclusive" },
      { "job_execution", { "execution_id" }, own_group = true,
        when = "r->execution_id != 0 && !job_continues_token(r->kind)" },
      { "job_definition", { "job_definition_id" }, when = "false" },
      { "job_of_definition", { "definition_id" }, when = "r->instance_id == 0" }, -- start timers and other jobs of no instance
    },
    memory = "bool remembered; /* job/job.c: among its context's new jobs */",
    ready_orders = true, -- the ready indexes are kept by uow/ready.c: one for each ordering in use
  },
  record { -- exclusive jobs of this instance (or hierarchy) are locked by `owner`, who runs them one after another
    name = "exclusive", tag = "K", key = { { "instance_id", "id" } },
    fields = { { "owner", "text", gone = true }, { "count", "int" }, { "owner", "id", since = 2 } },
  },
  record { -- who has jobs locked, until when, and where it runs (executor/owner/lock_owner.h)
    name = "owner", tag = "O", key = { { "fenced", "int" }, { "number", "id" } }, -- fenced 1: it may lock no more, and loses what it has
    fields = {
      { "name", "text" }, { "host", "text" }, { "boot", "text" }, { "pid_space", "int" }, { "pid", "int" }, { "pid_start", "int" },
      { "started", "time" }, { "expires", "time" }, { "build", "text" },
      -- what an executor says of itself each time that it prolongs its lease (executor/owner/cluster.h)
      { "told", "time", since = 2 }, { "lease", "int", since = 2 }, { "threads", "int", since = 2 }, { "held", "int", since = 2 },
      { "room", "int", since = 2 }, { "stopping", "bool", since = 2 }, { "aware", "bool", since = 2 }, { "hierarchies", "bool", since = 2 },
      { "bounds", "int", since = 2 }, { "priority_min", "int", since = 2 }, { "priority_max", "int", since = 2 },
      { "jobs", "ids", since = 2 }, { "deployments", "ids", since = 2 },
    },
    indexes = { { "owner_expires", { "expires" }, number = 111 } },
  },
  record { -- how much may run at once, or start in a second; also the gate that whoever takes by it must pass (job/limit.h)
    name = "limit", tag = "l", verb = "limits", key = { { "name", "text" } },
    fields = {
      { "job_definition_id", "id" }, { "topic", "text" }, { "key", "text" }, -- one of them says what is limited
      { "max", "int" }, { "per_second", "value" }, { "burst", "int" }, -- 0, NIL: no such bound
      { "tokens", "int", api = false }, -- millionths of a start, as of `refilled`
      { "refilled", "time", api = false },
    },
  },
  record { -- a job or external task that counts against a limit
    name = "lease", tag = "k", key = { { "limit", "text" }, { "holder", "id" } },
    fields = { { "expires", "time" } }, -- of external tasks, whose locks end by themselves
  },
  record { -- what a user has to say about a task or an instance; it is history, and goes with that
    name = "comment", tag = "q", verb = "comments",
    fields = {
      { "instance_id", "id" }, { "task_id", "id" }, { "user", "text" }, { "time", "time" }, { "message", "text" }, { "tenant", "text" },
    },
    indexes = {
      { "comment_instance", { "instance_id" }, number = 107, complete = true, when = "r->instance_id != 0" },
      { "comment_task", { "task_id" }, number = 108, complete = true, when = "r->task_id != 0" },
    },
  },
  record { -- a document that belongs to a task or an instance, or where there is one
    name = "attachment", tag = "t", verb = "attachments",
    fields = {
      { "instance_id", "id" }, { "task_id", "id" }, { "user", "text" }, { "time", "time" }, { "name", "text" }, { "type", "text" },
      { "description", "text" }, { "url", "text" }, { "size", "int" }, { "tenant", "text" },
    },
    indexes = {
      { "attachment_instance", { "instance_id" }, number = 109, complete = true, when = "r->instance_id != 0" },
      { "attachment_task", { "task_id" }, number = 110, complete = true, when = "r->task_id != 0" },
    },
  },
  record { -- what is in it, so that lists need not carry that
    name = "attachment_content", tag = "u", key = { { "attachment_id", "id" } }, fields = { { "bytes", "text" } },
  },
  record { -- one command for many, done by jobs; they and their job definitions have ids of its group (query/row_batch.h)
    name = "batch", tag = "Y", verb = "batches",
    fields = {
      { "action", "text" }, { "list", "text" }, { "state", "text" }, -- running, completed, canceled
      { "total", "int" }, { "done", "int", api = false }, -- done: once it has ended; until then it follows from what is left
      { "skipped", "int" }, -- gone before their turn
      { "size", "int" }, { "priority", "int" }, { "created", "time" }, { "ended_at", "time" },
      { "job_id", "id", api = false }, -- the only job, of batches made before jobs lay in their batch's group
      { "data", "value", api = false }, -- what the action wants to know
      { "type", "text", since = 2 }, -- Camunda's word for action and list
      { "jobs", "int", since = 2 }, { "jobs_created", "int", since = 2 }, { "jobs_per_seed", "int", since = 2 },
      { "last_local", "int", since = 2, api = false }, -- of the jobs that it has made, seeds and monitors too
      { "suspended", "bool", since = 2 }, { "user", "text", since = 2 }, -- who made it
      { "first_run_at", "time", since = 2 }, -- when the first of its jobs was done
      { "remove_at", "time", since = 2 }, -- when clean-up may take it
    },
    memory = "uint64_t counted; batch_left left; /* query/row_batch.c: as of so many writes of the unit, and one */",
  },
  record { -- what a seed of a batch makes jobs of
    name = "batch_part", tag = "y", key = { { "batch_id", "id" }, { "part", "int" } },
    fields = { { "ids", "ids" } },
  },
  record {
    name = "incident", tag = "N", verb = "incidents",
    fields = {
      { "type", "text" }, { "time", "time" }, { "message", "text" }, { "activity_id", "text" }, { "failed_activity_id", "text" },
      { "instance_id", "id" }, { "execution_id", "id" }, { "definition_id", "id" }, { "job_id", "id" },
      { "cause_id", "id" }, { "root_cause_id", "id" }, { "annotation", "text" }, { "tenant", "text" },
      { "definition_key", "text", since = 2 },
      { "configuration", "text", since = 3 }, -- of one that a program made: whatever it is to tell
    },
    indexes = {
      { "incident_job", { "job_id" }, complete = true, when = "r->job_id != 0" },
      { "incident_cause", { "root_cause_id" } },
      { "incident_definition", { "definition_id" }, number = 90, complete = true, when = "r->definition_id != 0" },
    },
  },

  record { -- what was counted in a quarter of an hour, by whom: engine/meter.h. Of who worked at tasks a row for each, with a
           -- hash of the name in the reporter's place
    name = "meter", tag = "w", key = { { "name", "text" }, { "time", "int" }, { "reporter", "text" } },
    fields = { { "count", "int" } },
  },

  -- History: keyed like what it is about, kept when that is gone ---------------------------------------------------------

  record {
    name = "history_instance", tag = "a", verb = "history_instances",
    fields = {
      { "definition_id", "id" }, { "definition_key", "text" }, { "business_key", "text" }, { "tenant", "text" }, { "root_id", "id" },
      { "parent_id", "id" }, { "state", "text" }, { "started_at", "time" }, { "ended_at", "time" }, { "delete_reason", "text" },
      { "start_activity", "text" }, { "end_activity", "text" }, { "initiator", "text" },
      { "remove_at", "time", since = 2 }, -- when clean-up may take it: the definition's historyTimeToLive after its end
      { "start_variables", "value", api = false, since = 3 }, -- what its own scope began with; kept at the full level only
    },
    indexes = {
      { "history_remove", { "remove_at" }, number = 65, complete = true, when = "r->remove_at != 0" },
      { "history_ended", { "ended_at" }, complete = true, when = "r->ended_at != 0" },
      { "history_definition", { "definition_id" }, number = 92, complete = true, when = "r->definition_id != 0" },
      { "history_business_key", { "business_key" }, complete = true, when = "r->business_key.size > 0", hash = true },
    },
  },
  record {
    name = "history_activity", tag = "b", verb = "history_activities", key = { { "instance_id", "id" }, { "sequence", "int" } },
    fields = {
      { "activity_id", "text" }, { "name", "text" }, { "type", "text" }, { "started_at", "time" }, { "ended_at", "time" },
      { "canceled", "bool" }, { "assignee", "text" }, { "called_instance_id", "id" }, { "task_id", "id" }, { "execution_id", "id" },
      { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "parent_execution", "id", since = 2, api = false }, -- the activity instance around: its token and its row's sequence + 1;
      { "parent_number", "int", since = 2, api = false }, -- 0: the process instance
    },
  },
  record {
    name = "history_task", tag = "c", verb = "history_tasks",
    fields = {
      { "name", "text" }, { "key", "text" }, { "description", "text" }, { "assignee", "text" }, { "owner", "text" },
      { "priority", "int" }, { "due", "time" }, { "follow_up", "time" }, { "created", "time" }, { "category", "text" },
      { "form_key", "text" }, { "instance_id", "id" }, { "execution_id", "id" }, { "definition_id", "id" }, { "definition_key", "text" },
      { "tenant", "text" }, { "ended_at", "time" }, { "delete_reason", "text" },
      { "activity_number", "int", since = 2, api = false }, -- sequence + 1 of its activity's row
      { "state", "text", since = 3, api = false }, { "parent_id", "id", since = 3 },
      { "sequence", "int", since = 4, level = 5 }, -- among the rows of its instance, as below
      { "own_id", "text", since = 4, level = 5 },
    },
    indexes = {
      { "history_task_own_id", { "own_id" }, number = 113, complete = true,
        when = "r->own_id.size > 0", hash = true },
      { "history_task_alone", { "ended_at" }, number = 106, when = "r->instance_id == 0 && r->ended_at != 0" }, -- for clean-up
    },
  },
  record {
    name = "history_variable", tag = "d", verb = "history_variables",
    key = { { "instance_id", "id" }, { "scope", "id" }, { "name", "text" } }, fields = {
      { "value", "value" }, { "execution_id", "id" }, { "activity_id", "text" }, { "created", "time" },
      { "updates", "int", api = "revision" }, { "tenant", "text" },
      { "activity_number", "int", since = 2, api = false }, -- sequence + 1 of the row of the activity whose scope it was made in
      { "sequence", "int", since = 3, level = 5 },
    },
  },
  record {
    name = "history_incident", tag = "e", verb = "history_incidents",
    fields = {
      { "type", "text" }, { "time", "time" }, { "message", "text" }, { "activity_id", "text" }, { "failed_activity_id", "text" },
      { "instance_id", "id" }, { "execution_id", "id" }, { "definition_id", "id" }, { "job_id", "id" },
      { "cause_id", "id" }, { "root_cause_id", "id" }, { "annotation", "text" }, { "tenant", "text" }, { "state", "text" },
      { "ended_at", "time" }, { "definition_key", "text", since = 2 }, { "configuration", "text", since = 3 },
      { "sequence", "int", since = 4, level = 5 },
    },
  },
  record {
    name = "history_job", tag = "f", verb = "history_jobs",
    key = { { "instance_id", "id" }, { "job_id", "id" }, { "number", "int" } },
    fields = {
      { "state", "text" }, { "time", "time" }, { "error", "text" }, { "retries", "int" }, { "activity_id", "text" }, { "handler", "text" },
      { "type", "text" }, { "due", "time" }, { "priority", "int" }, { "execution_id", "id" }, { "definition_id", "id" },
      { "definition_key", "text" }, { "tenant", "text" }, { "traceback", "text", since = 2 },
      { "sequence", "int", since = 3, level = 5 },
    },
  },
  record {
    name = "history_external", tag = "g", verb = "history_externals",
    key = { { "instance_id", "id" }, { "task_id", "id" }, { "number", "int" } }, fields = {
      { "state", "text" }, { "time", "time" }, { "topic", "text" }, { "worker", "text" }, { "retries", "value" }, { "priority", "int" },
      { "error", "text" }, { "activity_id", "text" }, { "execution_id", "id" }, { "definition_id", "id" }, { "definition_key", "text" },
      { "tenant", "text" }, { "details", "text", since = 2 },
      { "activity_number", "int", since = 3, api = false }, -- sequence + 1 of its activity's row
      { "sequence", "int", since = 4, level = 5 },
    },
  },
  record { -- one writing of a variable, or its removal; the full level
    name = "history_detail", tag = "m", verb = "history_details", key = { { "instance_id", "id" }, { "sequence", "int" } },
    fields = {
      { "name", "text" }, { "value", "value" }, { "time", "time" }, { "scope", "id" }, { "activity_id", "text" },
      { "revision", "int" }, { "initial", "bool" }, -- initial: what the process began with
      { "activity_number", "int", api = false }, { "operation_id", "id" }, { "user", "text" },
      { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "removed", "bool", since = 2 }, -- the variable was taken away; its value is null
    },
  },
  record { -- who was tied to a task, or is no more; the full level
    name = "history_link", tag = "n", verb = "history_links",
    key = { { "instance_id", "id" }, { "task_id", "id" }, { "number", "int" } }, fields = {
      { "operation", "text" }, -- add, delete
      { "type", "text" }, { "user", "text" }, { "group", "text" }, { "time", "time" }, { "assigner", "text" },
      { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "sequence", "int", since = 2, level = 5 },
    },
  },
  record { -- a sequence flow that tokens of an instance have taken; the full level
    name = "history_flow", tag = "o", verb = "history_flows", key = { { "instance_id", "id" }, { "flow_id", "text" } },
    fields = {
      { "taken", "int" }, -- how often
      { "first_at", "time" }, { "last_at", "time" }, { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "sequence", "int", since = 2, level = 5 }, -- of the first time
    },
  },
  record { -- what a user changed by a command: one property of one thing; the full level
    name = "history_operation", tag = "p", verb = "history_operations",
    fields = {
      { "operation_id", "id" }, -- of all that one command changed
      { "user", "text" }, { "time", "time" }, { "type", "text" }, { "entity", "text" }, { "category", "text" },
      { "property", "text" }, { "old_value", "text" }, { "new_value", "text" }, { "annotation", "text" },
      { "instance_id", "id" }, { "root_id", "id" }, { "execution_id", "id" }, { "task_id", "id" }, { "job_id", "id" },
      { "job_definition_id", "id" }, { "external_task_id", "id" }, { "batch_id", "id" }, { "deployment_id", "id" },
      { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "sequence", "int", since = 2, level = 5 },
    },
    indexes = {
      { "history_operation_group", { "operation_id" }, number = 100, complete = true },
      { "history_operation_user", { "user" }, number = 101, complete = true, hash = true },
      { "history_operation_instance", { "instance_id" }, number = 104, complete = true, when = "r->instance_id != 0" },
      { "history_operation_task", { "task_id" }, number = 102, complete = true, when = "r->task_id != 0" },
      { "history_operation_time", { "time" }, number = 103, when = "r->instance_id == 0" }, -- for clean-up
    },
  },
  record { -- one evaluated decision; with those that it required, in the order in which they were evaluated
    name = "history_decision", tag = "h", verb = "history_decisions",
    key = { { "instance_id", "id" }, { "number", "int" } },
    fields = {
      { "decision_id", "id" }, { "decision_key", "text" }, { "name", "text" }, { "version", "int" }, { "time", "time" },
      { "root_number", "int" }, -- the row of the decision that was asked for
      { "inputs", "value" }, { "rules", "value" }, { "outputs", "value" }, { "result", "value" },
      { "execution_id", "id" }, { "activity_id", "text" }, { "definition_id", "id" }, { "definition_key", "text" }, { "tenant", "text" },
      { "user", "text" },
      { "remove_at", "time", since = 2 }, -- when clean-up may take it: by its decision's historyTimeToLive; of no instance
      { "sequence", "int", since = 3, level = 5 },
    },
    indexes = {
      { "history_decision_remove", { "remove_at" }, number = 75, complete = true, when = "r->remove_at != 0" },
      { "history_decision_key", { "decision_key" }, number = 73, hash = true },
      { "history_decision_time", { "time" }, number = 74, when = "r->instance_id == 0" }, -- for clean-up
    },
  },
}
