// Jobs: what fails, what waits and why; retry one, or many.
import { useMemo, useState } from 'preact/hooks'
import { count, get, post } from '../app/api.js'
import { withDefinitions } from '../app/definition.js'
import { link, refine } from '../app/route.js'
import { retryNow } from '../app/retry.js'
import { may } from '../app/session.jsx'
import { useData, useList } from '../app/use.js'
import { Fold, Num, Said, Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Table, useSelection } from '../parts/table.jsx'
import { jobState, State } from '../parts/state.jsx'
import { BulkRetry, frozenJobs } from '../parts/bulk.jsx'
import { definitionsFilter, FilterBar, processFields, useProcesses } from '../parts/filters.jsx'
import { Views } from '../parts/views.jsx'

const STATES = [['', 'all'], ['failed', 'failed'], ['retrying', 'retrying'], ['due', 'due'], ['waiting', 'waiting'], ['suspended', 'suspended']]

function queryOf(state, ids) {
  const query = ids ? { jobIds: ids.split(',') } : {}
  const now = new Date().toISOString().replace('Z', '+0000')
  switch (state) {
    case 'failed': return { ...query, noRetriesLeft: true }
    case 'retrying': return { ...query, withException: true, withRetriesLeft: true }
    case 'due': return { ...query, executable: true }
    case 'waiting': return { ...query, dueDates: [{ operator: 'gt', value: now }] }
    case 'suspended': return { ...query, suspended: true }
    default: return query
  }
}

/** Columns that every list of jobs has. `activity`: job definitions by id; `why`: the job whose reason is open. */
export function JobColumns({ activity, names, why, setWhy }) {
  const at = (job) => activity?.get(job.jobDefinitionId)?.activityId ?? job.about?.activityOf(job.jobDefinitionId) ?? job.failedActivityId
  const nameOf = (job) => names?.get(at(job))?.name ?? job.about?.activityName(at(job)) ?? at(job)
  return [
    { head: 'State', cell: (job) => <State of={jobState(job)} />, width: '7rem' },
    { head: 'At', cell: (job) => nameOf(job) ?? <code>{job.id}</code>, width: '10rem' },
    { head: 'Due', sortBy: 'jobDueDate', cell: (job) => <Time at={job.dueDate} none="at once" />, width: '8.25rem' },
    { head: 'Retries', num: true, sortBy: 'jobRetries', cell: (job) => <Num n={job.retries} />, width: '4.5rem' },
    { head: 'Priority', num: true, sortBy: 'jobPriority', cell: (job) => <Num n={job.priority} />, width: '5rem' },
    { head: 'Last error', cell: (job) => <Fold text={job.exceptionMessage} most={100} /> },
    { head: 'Action', width: '10.5rem', cell: (job) => (
      <span class="actions">
        <button type="button" aria-expanded={why === job.id} onClick={() => setWhy(why === job.id ? null : job.id)}>Why?</button>
        {job.retries === 0 && may('operate') && <button type="button" onClick={() => attempt(() => retryNow([job.id]), 'It has another attempt.')}>Retry</button>}
        {job.dueDate && job.retries > 0 && may('operate') && <button type="button" onClick={() => attempt(() => post(`/job/${job.id}/execute`), 'It has run.')}>Run now</button>}
      </span>) }
  ]
}

/** Why a job does not run, as the engine says it, and the traceback of its last failure. */
export function Why({ job }) {
  const why = useData((signal) => get('/orrery/why', { jobId: job }, { signal }), [job], { kinds: ['job', 'executor', 'definition'] })
  const trace = useData((signal) => get(`/job/${job}/stacktrace`, {}, { signal, as: 'text' }), [job])
  return (
    <div class="why">
      <Loaded from={why}>{(data) => (
        <>
          <p><strong><Said text={data.text} /></strong></p>
          {data.cure && <p><span aria-hidden="true">→ </span>{data.cure}</p>}
        </>
      )}</Loaded>
      {trace.data && <pre class="trace" tabIndex={0}>{trace.data}</pre>}
    </div>
  )
}

/** Rows of the list, with whose jobs they are: one request for the instances of all its rows. */
async function withInstances(query, sorting, first, most) {
  const rows = await post('/job', { ...query, sorting }, { params: { firstResult: first, maxResults: most } })
  const processInstanceIds = [...new Set(rows.map((row) => row.processInstanceId).filter(Boolean))]
  const instances = processInstanceIds.length ? await post('/process-instance', { processInstanceIds }) : []
  const keys = new Map(instances.map((each) => [each.id, each.businessKey]))
  return withDefinitions(rows.map((row) => ({ ...row, businessKey: keys.get(row.processInstanceId) })))
}

const KEYS_MAX = 1000 // instances whose jobs are looked for by a business key

/** The part of the query that the filters say: { more } once it is known, { wrong } where a filter is none. */
function useJobFilter(query, processes) {
  const key = query.get('key')
  const keyed = useData(async (signal) => key && (await post('/process-instance', { businessKeyLike: `%${key}%` }, { params: { maxResults: KEYS_MAX }, signal }))
    .map((each) => each.id), [key], { kinds: ['instance'], slow: true })
  return useMemo(() => {
    try {
      const definitions = definitionsFilter(query, processes)
      const error = query.get('error')
      if (!definitions || (key && !keyed.data)) return {}
      return { cut: key && keyed.data.length === KEYS_MAX, more: { ...definitions, activityId: query.get('activity') || undefined, exceptionMessageLike: error ? `%${error}%` : undefined,
        processInstanceIds: key ? [...keyed.data, '0'] : undefined } } // 0: of no instance, where none has such a key
    } catch (failure) {
      return { wrong: failure.message }
    }
  }, [query.toString(), processes.versions, keyed.data?.join()])
}

const NONE = { processInstanceIds: ['0'] }

export function Jobs({ query }) {
  const processes = useProcesses(query.get('process'))
  const { more, wrong, cut } = useJobFilter(query, processes)
  const filter = JSON.stringify(more)
  const state = query.get('state') ?? ''
  const ids = query.get('ids')
  const sort = query.get('sort') ?? 'jobDueDate:asc'
  const [why, setWhy] = useState(null)
  const [retry, setRetry] = useState(false)
  const selection = useSelection(`${state} ${ids} ${filter}`)
  const wanted = () => ({ ...queryOf(state, ids), ...(more ?? NONE) })
  const asked = wanted()
  const [by, order] = sort.split(':')
  const list = useList((first, most) => withInstances(wanted(), [{ sortBy: by, sortOrder: order }], first, most),
    () => count('/job', asked), [state, ids, sort, filter], { kinds: ['job', 'incident'],
      same: (jobIds) => withInstances({ ...wanted(), jobIds }, undefined, 0, jobIds.length) })
  const columns = [
    { head: 'Instance', width: '8.5rem', cell: (job) => (job.processInstanceId
      ? <a href={link(['instances', job.processInstanceId], { panel: 'jobs' })}>{job.businessKey ?? job.processInstanceId}</a> : <span class="quiet">none</span>) },
    { head: 'Process', width: '8.5rem', sortBy: 'processDefinitionKey', cell: (job) => job.about?.title ?? job.processDefinitionKey ?? <span class="quiet">engine</span> },
    ...JobColumns({ why, setWhy })
  ]
  return (
    <section class="page whole">
      <header class="head">
        <h1>Jobs</h1>
        <Views room="jobs" query={query} />
        <span class="number quiet">{list.count?.toLocaleString()}</span>
        <div class="modes" role="group" aria-label="Which jobs">
          {STATES.map(([id, title]) => <button key={id} type="button" aria-pressed={!ids && state === id} onClick={() => refine({ state: id, ids: '' })}>{title}</button>)}
        </div>
        {may('operate') && (selection.ids.size > 0 || state === 'failed') && list.count > 0 && (
          <span class="actions"><button type="button" onClick={() => setRetry(true)}>
            Retry {selection.ids.size ? `${selection.ids.size} selected` : 'all of the list'}…</button></span>)}
      </header>
      <FilterBar query={query} fields={[...processFields(processes), { name: 'key', label: 'Business key' }, { name: 'error', label: 'Error text' }]} />
      {wrong && <p class="failure" role="alert">{wrong}</p>}
      {cut && <p class="quiet">Jobs of the first {KEYS_MAX.toLocaleString()} instances with such a key: say more of it.</p>}
      {why && <Why job={why} />}
      <Table name="Jobs" list={list} columns={columns} sort={sort} selection={may('operate') ? selection : undefined} current={(job) => job.id === why} empty="None." />
      {retry && <BulkRetry title="Retry jobs" freeze={frozenJobs({ ids: selection.ids.size ? [...selection.ids] : undefined, query: asked })} onClose={() => {
        setRetry(false)
        selection.clear()
      }} />}
    </section>
  )
}
