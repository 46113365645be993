// What each token of an instance waits for, from lists that were fetched once for the whole instance.

const BPMN = 'http://www.omg.org/spec/BPMN/20100524/MODEL'
const EVENTS = ['message', 'signal', 'conditional'] // compensation waits for nothing that comes from outside

/** id -> the condition of each conditional event of a model, as it is written. */
export function conditions(xml) {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  return new Map([...document.getElementsByTagNameNS(BPMN, 'condition')]
    .map((condition) => [condition.closest('[id]:not(conditionalEventDefinition):not(condition)')?.id, condition.textContent.trim()]))
}

function ofSubscription(row) {
  const kind = row.eventType === 'conditional' ? 'condition' : row.eventType
  return { id: `event ${row.id}`, kind, activityId: row.activityId, since: row.createdDate, name: row.eventName, executionId: row.executionId }
}

function ofJob(row, definitions) {
  const definition = definitions.get(row.jobDefinitionId)
  const timer = /^timer/.test(definition?.jobType ?? '')
  return { id: `job ${row.id}`, kind: timer ? 'timer' : 'job', activityId: definition?.activityId ?? row.failedActivityId, since: row.createTime, job: row }
}

/** A token at which nothing of these lists stands: a task that is told to go on, or a gateway that the others have yet to reach. */
function ofToken(token) {
  const kind = /Gateway$/.test(token.type) ? 'others' : /Task$/.test(token.type) ? 'word' : 'inner'
  return { id: `token ${token.id}`, kind, activityId: token.activityId, executionId: token.executionId }
}

/**
 * One row for each thing that is waited for: { id, kind, activityId, since } and what its kind needs. `found` has the lists as the
 * server gives them: subscriptions, externals, jobs, tasks, called (activities that called an instance), definitions (of jobs).
 */
export function waitsOf(tokens, found) {
  const definitions = new Map(found.definitions.map((each) => [each.id, each]))
  const rows = [
    ...found.subscriptions.filter((row) => EVENTS.includes(row.eventType)).map(ofSubscription),
    ...found.externals.map((row) => ({ id: `external ${row.id}`, kind: 'topic', activityId: row.activityId, since: row.createTime, external: row })),
    ...found.jobs.map((row) => ofJob(row, definitions)),
    ...found.tasks.map((row) => ({ id: `task ${row.id}`, kind: 'task', activityId: row.taskDefinitionKey, since: row.created, task: row })),
    ...found.called.map((row) => ({ id: `call ${row.id}`, kind: 'instance', activityId: row.activityId, since: row.startTime, called: row.calledProcessInstanceId }))
  ]
  const known = new Set(rows.map((row) => row.activityId))
  const silent = tokens.filter((token) => token.parent && token.leaf && !token.transition && !known.has(token.activityId)).map(ofToken)
  return [...rows, ...silent.filter((row) => row.kind !== 'inner')]
}
