/* Which behavior a node has. */
#include "exec/node/behavior.h"

static const behavior *const by_type[NODE_TYPES] = {
    [NODE_PROCESS] = &behavior_sub_process, /* never used: the root scope ends by op_end_instance */
    [NODE_SUB_PROCESS] = &behavior_sub_process,
    [NODE_EVENT_SUB_PROCESS] = &behavior_event_sub_process,
    [NODE_TRANSACTION] = &behavior_transaction,
    [NODE_START_EVENT] = &behavior_start_event,
    [NODE_END_EVENT] = &behavior_end_event,
    [NODE_CATCH_EVENT] = &behavior_catch_event,
    [NODE_THROW_EVENT] = &behavior_throw_event,
    [NODE_BOUNDARY_EVENT] = &behavior_boundary_event,
    [NODE_EXCLUSIVE_GATEWAY] = &behavior_exclusive,
    [NODE_PARALLEL_GATEWAY] = &behavior_parallel,
    [NODE_INCLUSIVE_GATEWAY] = &behavior_inclusive,
    [NODE_EVENT_GATEWAY] = &behavior_event_gateway,
    [NODE_TASK] = &behavior_pass,
    [NODE_MANUAL_TASK] = &behavior_pass,
    [NODE_USER_TASK] = &behavior_user_task,
    [NODE_SERVICE_TASK] = &behavior_service_task,
    [NODE_SEND_TASK] = &behavior_service_task,
    [NODE_RECEIVE_TASK] = &behavior_receive_task,
    [NODE_SCRIPT_TASK] = &behavior_service_task,
    [NODE_BUSINESS_RULE_TASK] = &behavior_service_task,
    [NODE_CALL_ACTIVITY] = &behavior_call_activity,
};

const behavior *behavior_of(const node *n) { return by_type[n->type]; }
