// The panels below an instance's diagram: each loads what it shows, and no row asks for itself.
import { useMemo, useState } from 'preact/hooks'
import { del, get, post, put } from '../app/api.js'
import { textExactly } from '../app/exact.js'
import { link, refine } from '../app/route.js'
import { retryIncident } from '../app/retry.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { timeline } from '../diagram/timeline.js'
import { variablesAt } from '../diagram/trail.js'
import { Fold, instant, Num, Span, Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { MOST, Rows } from '../parts/table.jsx'
import { kindText, State } from '../parts/state.jsx'
import { Value, ValueEditor } from '../parts/values.jsx'
import { JobColumns, Why } from './jobs.jsx'
import { useUpdates } from './walk.jsx'

const atElement = (element, tokens) => new Set(tokens.filter((token) => token.activityId === element).map((token) => token.id))

function scopeName(variable, instance, tokens, names) {
  const scope = variable.activityInstanceId ?? variable.executionId
  if (!scope || scope === instance.id) return <span class="quiet">instance</span>
  const token = tokens.find((each) => each.id === scope)
  return token ? names.get(token.activityId)?.name ?? token.activityId : <code>{scope}</code>
}

function AddVariable({ save }) {
  const [name, setName] = useState(null)
  if (name === null) return <button type="button" onClick={() => setName('')}>Add a variable</button>
  return (
    <div class="add">
      <input aria-label="Name of the new variable" placeholder="name" value={name} autofocus onInput={(event) => setName(event.target.value)} />
      <ValueEditor variable={{ type: 'String', value: '' }} cancel={() => setName(null)} save={async (value, type) => {
        if (!name.trim()) throw new Error('A variable needs a name.')
        await save(name.trim(), value, type)
        setName(null)
      }} />
    </div>
  )
}

/** The first variables of an instance, or of some of its scopes, and how many there are: values may be large. */
async function liveVariables(instance, activityInstanceIdIn, most, signal) {
  const which = { processInstanceIdIn: instance.id, activityInstanceIdIn }
  const [rows, { count }] = await Promise.all([
    get('/variable-instance', { ...which, deserializeValues: false, sortBy: 'variableName', sortOrder: 'asc', maxResults: most }, { signal }),
    get('/variable-instance/count', which, { signal })])
  return { rows, total: count }
}

/** Live variables, edited in place; of an ended instance, or of a moment past, what the history knows. */
export function VariablesPanel({ instance, running, element, tokens, names, at }) {
  const [edited, setEdited] = useState(null)
  const [most, setMost] = useState(MOST)
  const scopes = element ? [...atElement(element, tokens)].join() || 'none' : undefined
  const live = useData((signal) => liveVariables(instance, scopes, most, signal), [instance.id, running, scopes, most],
    { kinds: ['variable', 'instance'], id: instance.id })
  const updates = useUpdates(instance.id)
  const past = at !== null || !running
  const rows = useMemo(() => {
    if (past) return variablesAt(updates.data?.rows ?? [], at ?? Infinity).map((row) => ({ ...row, name: row.variableName }))
    return live.data?.rows ?? []
  }, [past, at, updates.data, live.data])
  // An object stays one of its class: what is told of it goes with it.
  const save = async (name, value, type, { executionId = instance.id, valueInfo } = {}) => {
    await put(`/execution/${executionId}/localVariables/${encodeURIComponent(name)}`,
      { value, type, valueInfo: type === 'Object' ? valueInfo : undefined })
    setEdited(null)
    live.reload()
  }
  const remove = (row) => {
    if (!confirm(`Delete the variable ${row.name}?`)) return
    attempt(() => del(`/execution/${row.executionId}/localVariables/${encodeURIComponent(row.name)}`), `${row.name} is deleted.`).then(live.reload)
  }
  const columns = [
    { head: 'Name', cell: (row) => <code>{row.name}</code>, width: '22%' },
    { head: 'Value', cell: (row) => (edited === row.id ? <ValueEditor variable={row} cancel={() => setEdited(null)}
      now={() => get(`/variable-instance/${row.id}`, { deserializeValue: false })}
      save={(value, type) => save(row.name, value, type, row)} />
      : <Value variable={row} data={past ? `/history/variable-instance/${row.variableInstanceId ?? row.id}/data` : `/variable-instance/${row.id}/data`} />) },
    { head: 'Type', cell: (row) => row.type, width: '6rem' },
    { head: 'Scope', cell: (row) => scopeName(row, instance, tokens, names), width: '12rem' },
    !past && { head: 'Edit', width: '9rem', cell: (row) => may('operate') && edited !== row.id && !['File', 'Bytes'].includes(row.type) && (
      <span class="actions"><button type="button" onClick={() => setEdited(row.id)}>Edit</button>
        <button type="button" class="icon" aria-label={`Delete ${row.name}`} onClick={() => remove(row)}>✕</button></span>) }
  ].filter(Boolean)
  return (
    <Loaded from={past ? updates : live}>{(data) => (
      <>
        {at !== null && !data.whole && <p class="quiet">The history keeps no updates at this level: values are as they are now, of variables that were there.</p>}
        <Rows name="Variables" rows={rows} total={past ? undefined : data.total} onMore={past ? undefined : () => setMost(most + MOST)} columns={columns} empty={element && !past ? 'None is local to this element.' : 'There are none.'} />
        {!past && !element && may('operate') && <AddVariable save={save} />}
      </>
    )}</Loaded>
  )
}

const RETRIED = ['failedJob', 'failedExternalTask'] // their incident's configuration is the id of a job, or of an external task

/** Did it arise in an instance that this one called? */
const elsewhere = (incident) => incident.rootCauseIncidentId && incident.rootCauseIncidentId !== incident.id

export function IncidentsPanel({ instance, incidents, element, names }) {
  const [why, setWhy] = useState(null)
  return (
    <Loaded from={incidents}>{(data) => (
      <>
        <Rows key={element ?? ''} name="Incidents" rows={data.filter((each) => !element || each.activityId === element)} empty="None is open." columns={[
          { head: 'Since', cell: (row) => <Time at={row.incidentTimestamp} />, width: '9rem' },
          { head: 'At', cell: (row) => <button type="button" class="link" onClick={() => refine({ element: row.activityId })}>
            {names.get(row.activityId)?.name ?? row.activityId}</button>, width: '14rem' },
          { head: 'Kind', cell: (row) => <State of="incident" label={kindText(row.incidentType)} />, width: '11rem' },
          { head: 'Message', cell: (row) => <Fold text={row.incidentMessage} /> },
          { head: 'Action', width: '16rem', cell: (row) => RETRIED.includes(row.incidentType) && (
            <span class="actions">
              {elsewhere(row) && <a href={link(['incidents', row.rootCauseIncidentId])}>Where it arose</a>}
              {row.incidentType === 'failedJob' && row.configuration && !elsewhere(row) && <button type="button" onClick={() => setWhy(why === row.configuration ? null : row.configuration)}>Traceback</button>}
              {may('operate') && <button type="button" onClick={() => attempt(() => retryIncident(row), 'It has another attempt.')}>Retry</button>}
            </span>) }
        ]} />
        {why && <Traceback job={why} />}
      </>
    )}</Loaded>
  )
}

function Traceback({ job }) {
  const trace = useData((signal) => get(`/job/${job}/stacktrace`, {}, { signal, as: 'text' }), [job])
  return <Loaded from={trace}>{(text) => <pre class="trace" tabIndex={0}>{text || 'The job left none.'}</pre>}</Loaded>
}

const JOBS_MAX = 1000 // more than anyone reads; the list of all jobs has the others

export function JobsPanel({ instance, element, names }) {
  const [why, setWhy] = useState(null)
  const jobs = useData((signal) => post('/job', { processInstanceId: instance.id }, { params: { maxResults: JOBS_MAX }, signal }), [instance.id], { kinds: ['job', 'incident'], id: instance.id })
  const definitions = useData((signal) => get('/job-definition', { processDefinitionId: instance.processDefinitionId }, { signal }), [instance.processDefinitionId])
  const activity = useMemo(() => new Map((definitions.data ?? []).map((each) => [each.id, each])), [definitions.data])
  return (
    <Loaded from={jobs}>{(data) => (
      <>
        <Rows name="Jobs" empty="It has none: nothing waits for the executor." current={(row) => row.id === why}
          rows={data.filter((job) => !element || activity.get(job.jobDefinitionId)?.activityId === element)}
          columns={JobColumns({ activity, names, why, setWhy })} />
        {why && <Why job={why} />}
      </>
    )}</Loaded>
  )
}

export function TasksPanel({ instance, element }) {
  const tasks = useData((signal) => post('/task', { processInstanceId: instance.id, taskDefinitionKey: element || undefined }, { signal }), [instance.id, element],
    { kinds: ['task'], id: instance.id })
  return (
    <Loaded from={tasks}>{(data) => (
      <Rows name="Tasks" rows={data} empty="No task is open." columns={[
        { head: 'Task', cell: (row) => <a href={link(['tasks', row.id])}>{row.name ?? row.taskDefinitionKey}</a> },
        { head: 'Assignee', cell: (row) => row.assignee ?? <span class="quiet">nobody</span> },
        { head: 'Created', cell: (row) => <Time at={row.created} /> },
        { head: 'Due', cell: (row) => <Time at={row.due} /> },
        { head: 'Priority', num: true, cell: (row) => <Num n={row.priority} /> }
      ]} />
    )}</Loaded>
  )
}

export function TreePanel({ tokens, names, element }) {
  if (tokens.length === 0) return <p class="empty">It has ended: nothing is active.</p>
  return (
    <ul class="tree">
      {tokens.map((token) => (
        <li key={token.id} style={{ '--depth': token.depth }} class={token.activityId === element ? 'chosen' : ''}>
          <button type="button" class="link" onClick={() => refine({ element: token.parent ? token.activityId : '' })}>
            {token.parent ? names.get(token.activityId)?.name ?? token.name ?? token.activityId : 'Instance'}</button>
          <span class="quiet"> {token.transition ? 'before or behind it, waits for a job' : token.type}</span> <code>{token.id}</code>
          {token.incidents.length > 0 && <State of="incident" />}
        </li>
      ))}
    </ul>
  )
}

const textOf = (value) => (textExactly(value) ?? '').slice(0, 120)

/** What happened, one line each, latest first; a click goes to that moment. */
export function TimelinePanel({ instance, activities, names, element }) {
  const updates = useUpdates(instance.id)
  const events = useMemo(() => {
    const seen = (activities.data ?? []).filter((each) => !element || each.activityId === element)
    const set = !element && updates.data?.whole ? updates.data.rows : []
    return timeline(seen, set).reverse().map(({ time, kind, of }) => (kind === 'set'
      ? { id: `${of.id}v`, time, kind, what: of.variableName, detail: textOf(of.value) }
      : { id: `${of.id}${kind}`, time, kind, what: names.get(of.activityId)?.name ?? of.activityName ?? of.activityId,
        detail: of.activityType, ms: kind === 'entered' ? undefined : of.durationInMillis }))
  }, [activities.data, updates.data, names, element])
  return (
    <Loaded from={activities}>{() => (
      <Rows name="Timeline" rows={events} empty="The history keeps nothing of it." columns={[
        { head: 'When', width: '11rem', cell: (row) => <button type="button" class="link" title="Show this moment"
          onClick={() => refine({ at: instant(row.time).getTime() })}><Time at={row.time} precise /></button> },
        { head: 'What', width: '7rem', cell: (row) => row.kind },
        { head: 'Of', cell: (row) => row.what },
        { head: 'Detail', cell: (row) => (row.ms === undefined ? <span class="quiet">{row.detail}</span> : <Span ms={row.ms} />) }
      ]} />
    )}</Loaded>
  )
}

/** Who did what to it. */
export function LogPanel({ instance }) {
  const log = useData((signal) => get('/history/user-operation', { processInstanceId: instance.id, sortBy: 'timestamp', sortOrder: 'desc' }, { signal }),
    [instance.id], { kinds: ['instance', 'variable', 'job', 'task'], id: instance.id })
  return (
    <Loaded from={log}>{(data) => (
      <Rows name="Operations" rows={data} empty="Nobody did anything to it by hand." columns={[
        { head: 'When', cell: (row) => <Time at={row.timestamp} />, width: '9rem' },
        { head: 'Who', cell: (row) => row.userId ?? <span class="quiet">unknown</span>, width: '9rem' },
        { head: 'What', cell: (row) => row.operationType, width: '12rem' },
        { head: 'Of', cell: (row) => [row.entityType, row.property].filter(Boolean).join(', '), width: '14rem' },
        { head: 'Before', cell: (row) => <Fold text={row.orgValue} most={60} /> },
        { head: 'After', cell: (row) => <Fold text={row.newValue} most={60} /> }
      ]} />
    )}</Loaded>
  )
}

