// States by color and by shape, so that either is enough.

const STATES = {
  active: ['run', '●', 'active'],
  running: ['run', '●', 'running'],
  suspended: ['held', '‖', 'suspended'],
  incident: ['bad', '▲', 'incident'],
  failed: ['bad', '▲', 'failed'],
  retrying: ['warn', '↻', 'retrying'],
  completed: ['done', '✓', 'completed'],
  canceled: ['off', '✕', 'canceled'],
  waiting: ['wait', '◷', 'waiting'],
  locked: ['run', '◆', 'running now'],
  due: ['wait', '▶', 'due'],
  skipped: ['off', '↷', 'skipped']
}

export function State({ of, label }) {
  const [tone, shape, text] = STATES[of] ?? ['off', '○', of]
  return <span class={`state ${tone}`}><span aria-hidden="true">{shape}</span> {label ?? text}</span>
}

/** failedJob -> "failed job" */
export const kindText = (type) => type.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** A historic instance's state: ACTIVE, SUSPENDED, COMPLETED, EXTERNALLY_TERMINATED, INTERNALLY_TERMINATED. */
export function instanceState(instance) {
  if (instance.incidents?.length) return 'incident'
  return { ACTIVE: 'active', SUSPENDED: 'suspended', COMPLETED: 'completed' }[instance.state] ?? 'canceled'
}

export function jobState(job, now = Date.now()) {
  if (job.suspended) return 'suspended'
  if (job.retries === 0) return 'failed'
  if (job.exceptionMessage) return 'retrying'
  return job.dueDate && new Date(job.dueDate.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) > now ? 'waiting' : 'due'
}
