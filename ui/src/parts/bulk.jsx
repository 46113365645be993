// Bulk actions: the ids are frozen when the dialog opens, counted and shown in part, and given to the server as they are. What
// becomes of them is a batch, which says how many went well, failed, or were skipped.
import { useState } from 'preact/hooks'
import { count, post } from '../app/api.js'
import { goFrom } from '../app/route.js'
import { useData } from '../app/use.js'
import { many } from './format.jsx'
import { ActionDialog } from './dialog.jsx'
import { retryFailures } from './failures.js'
import { Loaded, say } from './notice.jsx'

const PAGE = 1000
const MOST = 50000
const SAMPLE = 5

/**
 * The rows that a query finds, up to MOST, and how many there are. From the last page to the first, by ascending id: what ends
 * meanwhile moves rows into pages that are yet to come, never past them.
 */
async function found(path, query, sortBy, signal) {
  const total = await count(path, query)
  const rows = new Map()
  for (let first = Math.floor((Math.min(total, MOST) - 1) / PAGE) * PAGE; first >= 0; first -= PAGE) {
    const page = await post(path, { ...query, sorting: [{ sortBy, sortOrder: 'asc' }] }, { params: { firstResult: first, maxResults: PAGE }, signal })
    for (const row of page) rows.set(row.id, row)
  }
  return { rows: [...rows.values()].reverse(), total }
}

const frozenOf = ({ rows, total }, label) => ({ ids: rows.map((row) => row.id), total, sample: rows.slice(0, SAMPLE).map(label) })

/** Freezes instances: those named, or all of a list's own query that still run. */
export function frozenInstances({ ids, query }) {
  return async (signal) => (ids ? { ids, total: ids.length, sample: ids.slice(0, SAMPLE) }
    : frozenOf(await found('/history/process-instance', { ...query, unfinished: true }, 'instanceId', signal), (row) => row.businessKey ?? row.id))
}

/** The instances that a query of the history finds, with a label of each. */
export async function foundInstances(query, signal) {
  const { rows, total } = await found('/history/process-instance', query, 'instanceId', signal)
  const label = (row) => row.businessKey ?? row.id
  return { ...frozenOf({ rows, total }, label), labels: rows.map((row) => [row.id, label(row)]), cut: total > rows.length ? total : 0 }
}

const jobLabel = (job) => [job.processDefinitionKey, job.failedActivityId, job.id].filter(Boolean).join(' ')

/** Freezes jobs: those named, or all that a query finds. */
export function frozenJobs({ ids, query }) {
  return async (signal) => (ids ? { ids, total: ids.length, sample: ids.slice(0, SAMPLE) } : frozenOf(await found('/job', query, 'jobId', signal), jobLabel))
}

const taskLabel = (task) => [task.processDefinitionKey, task.activityId, task.id].filter(Boolean).join(' ')

/** The jobs and external tasks without retries that two queries find, as ids: those of tasks apart. */
async function failures(jobQuery, taskQuery, signal) {
  const jobs = await found('/job', { ...jobQuery, noRetriesLeft: true }, 'jobId', signal)
  const tasks = await found('/external-task', { ...taskQuery, noRetriesLeft: true }, 'id', signal)
  const both = [frozenOf(jobs, jobLabel), frozenOf(tasks, taskLabel)]
  return { ids: both[0].ids, taskIds: both[1].ids, total: both[0].total + both[1].total, sample: both.flatMap((each) => each.sample).slice(0, SAMPLE) }
}

/** Freezes what is out of retries in the instances that `instances` freezes: jobs and external tasks. */
export function frozenFailures(instances) {
  return async (signal) => {
    const { ids, total } = await instances(signal)
    const all = { ids: [], taskIds: [], total: 0, sample: [] }
    for (let first = 0; first < ids.length; first += PAGE) {
      const some = ids.slice(first, first + PAGE)
      const part = await failures({ processInstanceIds: some }, { processInstanceIdIn: some }, signal)
      for (const name of ['ids', 'taskIds', 'sample']) all[name].push(...part[name])
      all.total += part.total
    }
    return { ...all, sample: all.sample.slice(0, SAMPLE), of: many(ids.length, 'instance'), cut: total > ids.length ? total : 0 }
  }
}

/** Freezes what is out of retries in a version of a process. */
export function frozenFailuresOf(processDefinitionId) {
  return (signal) => failures({ processDefinitionId }, { processDefinitionId }, signal)
}

const sizeOf = ({ ids, taskIds = [] }) => ids.length + taskIds.length

/** "3 jobs and 1 external task" */
function amount({ ids, taskIds = [] }, noun) {
  const parts = [(ids.length || !taskIds.length) && many(ids.length, noun), taskIds.length && many(taskIds.length, 'external task')]
  return parts.filter(Boolean).join(' and ')
}

function Sample({ frozen, noun }) {
  const { total, sample, of, cut } = frozen
  const size = sizeOf(frozen)
  return (
    <p>
      <strong>{amount(frozen, noun)}</strong>{of && ` of ${of}`}, as {size === 1 ? 'it is' : 'they are'} now:{' '}
      <code>{sample.join(', ')}{size > sample.length ? ', …' : ''}</code>
      {(total > size || cut > 0) && <><br />There are {(cut || total).toLocaleString()}; one action takes {MOST.toLocaleString()}. Repeat it for the rest.</>}
    </p>
  )
}

/**
 * A dialog over what `freeze(signal)` finds when it opens. `run(ids, taskIds)` answers a batch, or nothing when it is done at
 * once. Its buttons say what they do: `verb` and how many, and `leave`.
 */
export function Bulk({ title, verb, leave, danger, noun, freeze, run, onClose, children }) {
  const frozen = useData(freeze, [], { once: true })
  const act = async () => {
    const here = location.hash
    const batch = await run(frozen.data.ids, frozen.data.taskIds ?? [])
    if (batch?.id) goFrom(here, ['batches', batch.id])
    else say(`${verb}: ${amount(frozen.data, noun)}.`)
  }
  const some = frozen.data && sizeOf(frozen.data) > 0
  return (
    <ActionDialog title={title} verb={some ? `${verb} ${amount(frozen.data, noun)}` : verb} leave={leave} danger={danger} onClose={onClose}
      disabled={!some} action={act}>
      <Loaded from={frozen}>{(data) => (sizeOf(data) ? <Sample frozen={data} noun={noun} /> : <p>There is none{data.of ? ` in ${data.of}` : ' any more'}.</p>)}</Loaded>
      {children}
    </ActionDialog>
  )
}

/** `retry(ids, taskIds, retries)`: jobs and external tasks by a batch, where nothing else is said. */
export function BulkRetry({ title, freeze, noun = 'job', retry = retryFailures, onClose }) {
  const [retries, setRetries] = useState(1)
  return (
    <Bulk title={title} verb="Retry" leave="Leave them" noun={noun} freeze={freeze} onClose={onClose}
      run={(ids, taskIds) => retry(ids, taskIds, retries)}>
      <label>Attempts each may take<input type="number" min="1" max="100" value={retries}
        onInput={(event) => setRetries(Number(event.target.value))} /></label>
    </Bulk>
  )
}

/** For instances whose listeners fail, or are there no more. */
export function SkipListeners({ checked, set }) {
  return (
    <label class="inline"><input type="checkbox" checked={checked} onChange={(event) => set(event.target.checked)} />
      {' '}without telling listeners</label>
  )
}

export function BulkCancel({ freeze, onClose }) {
  const [reason, setReason] = useState('')
  const [quiet, setQuiet] = useState(false)
  return (
    <Bulk title="Cancel instances" verb="Cancel" leave="Keep them running" danger noun="instance" freeze={freeze} onClose={onClose}
      run={(processInstanceIds) => post('/process-instance/delete',
        { processInstanceIds, deleteReason: reason || undefined, skipCustomListeners: quiet || undefined })}>
      <label>Reason<input value={reason} placeholder="told to listeners and kept in the history" onInput={(event) => setReason(event.target.value)} /></label>
      <SkipListeners checked={quiet} set={setQuiet} />
    </Bulk>
  )
}

export function BulkSuspend({ suspended, freeze, onClose }) {
  return (
    <Bulk title={suspended ? 'Suspend instances' : 'Activate instances'} verb={suspended ? 'Suspend' : 'Activate'} leave="Leave them as they are" noun="instance"
      freeze={freeze} onClose={onClose}
      run={(processInstanceIds) => post('/process-instance/suspended-async', { processInstanceIds, suspended })}>
      <p class="quiet">{suspended ? 'Their jobs wait and their tasks cannot be completed until they are activated.' : 'Their jobs run again.'}</p>
    </Bulk>
  )
}
