// Who executes jobs on all machines, and what may hold them up: nodes, limits, suspended job definitions.
import { useState } from 'preact/hooks'
import { get, put } from '../app/api.js'
import { withDefinitions } from '../app/definition.js'
import { link } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { ActionDialog } from '../parts/dialog.jsx'
import { Ago, Num } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'
import { SuspendJobs, SuspendNew } from '../parts/suspend.jsx'
import { Threads } from './threads.jsx'

/** The one member of a limit that says what it limits, as the server takes it. */
function limited({ topic, key, jobDefinitionId }) {
  return topic ? { topic } : key ? { key } : { jobDefinitionId }
}

const nameOf = (row) => row.topic ?? row.key ?? row.jobDefinitionId
const titleOf = (row) => row.title ?? nameOf(row)
const KINDS = { topic: 'topic', key: 'limit key', jobDefinitionId: 'job definition' }

const numberOf = (text) => (text === '' ? null : Number(text))

/** What a limit says now, in words. */
function bounds({ max, perSecond, burst }) {
  const parts = [max !== null && `${max} at once`, perSecond !== null && `${perSecond} a second${burst ? `, ${burst} at a stroke` : ''}`].filter(Boolean)
  return parts.length ? `may run ${parts.join(' and ')}` : 'has no limit'
}

const HINTS = { max: 'Limit of', perSecond: 'Starts a second of', burst: 'Starts at a stroke of' }

/** Sets how many may run at once, how many may start in a second, and how many at a stroke where some were not used. */
function LimitForm({ row, done }) {
  const [values, setValues] = useState({ max: row.max ?? '', perSecond: row.perSecond ?? '', burst: row.burst ?? '' })
  const submit = (event) => {
    event.preventDefault()
    const limit = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, numberOf(text)]))
    attempt(() => put('/orrery/limits', { ...limited(row), ...limit }), `${titleOf(row)} ${bounds(limit)} now.`).then(done)
  }
  const remove = () => attempt(() => put('/orrery/limits', limited(row)), `${titleOf(row)} has no limit now.`).then(done)
  const field = (name, least, step) => <input type="number" min={least} step={step} aria-label={`${HINTS[name]} ${titleOf(row)}`} value={values[name]} placeholder="any"
    onInput={(event) => setValues({ ...values, [name]: event.target.value })} />
  return (
    <form class="inline limit" onSubmit={submit}>
      {field('max', '1', '1')} at once, {field('perSecond', '0.001', 'any')} a second, {field('burst', '1', '1')} at a stroke
      <button type="submit">Set</button>
      <button type="button" onClick={remove}>Take away</button>
    </form>
  )
}

const definitionTitle = (each) => `${each.processDefinitionKey} ${each.activityId}`

/** The limits, each with the title of what it limits. */
async function titled(signal) {
  const rows = await get('/orrery/limits', {}, { signal })
  return Promise.all(rows.map(async (row) => ({ ...row, id: nameOf(row), title: row.jobDefinitionId
    ? await get(`/job-definition/${row.jobDefinitionId}`, {}, { signal }).then(definitionTitle, () => undefined) : undefined })))
}

function NewLimit({ onClose, done }) {
  const [kind, setKind] = useState('topic')
  const [name, setName] = useState('')
  const [max, setMax] = useState('4')
  const [rate, setRate] = useState('')
  const set = async () => {
    await put('/orrery/limits', { [kind]: name.trim(), max: numberOf(max), perSecond: numberOf(rate) })
    done()
  }
  const definitions = useData((signal) => get('/job-definition', { sortBy: 'processDefinitionKey', sortOrder: 'asc', maxResults: 500 }, { signal }), [])
  return (
    <ActionDialog title="Set a limit" verb="Set" leave="Set none" action={set} onClose={onClose} disabled={!name.trim() || (max === '' && rate === '')}>
      <label>Of<select value={kind} onChange={(event) => {
        setKind(event.target.value)
        setName('')
      }}>
        {Object.entries(KINDS).map(([id, title]) => <option key={id} value={id}>{title}</option>)}</select></label>
      {kind === 'jobDefinitionId'
        ? <label>Job definition<select value={name} onChange={(event) => setName(event.target.value)}>
          <option value="" disabled>choose one</option>
          {(definitions.data ?? []).map((each) => <option key={each.id} value={each.id}>{definitionTitle(each)} ({each.id})</option>)}</select></label>
        : <label>{kind === 'topic' ? 'Topic of external tasks' : 'What limitKey gives'}<input value={name} autofocus onInput={(event) => setName(event.target.value)} /></label>}
      <label>At once, at most<input type="number" min="1" value={max} onInput={(event) => setMax(event.target.value)} /></label>
      <label>Starts a second, at most<input type="number" min="0.001" step="any" value={rate} placeholder="any" onInput={(event) => setRate(event.target.value)} /></label>
    </ActionDialog>
  )
}

const STATES = { 'at work': 'running', silent: 'waiting', expired: 'failed', gone: 'failed' }

function stateOf({ alive, executor, state, stopping }) {
  if (alive && stopping) return <State of="suspended" label="stopping" />
  return <State of={STATES[state]} label={alive && !executor ? 'a thread' : state} />
}

function Members() {
  const nodes = useData((signal) => get('/orrery/nodes', {}, { signal }), [], { kinds: ['job'], slow: true })
  return (
    <Loaded from={nodes}>{(rows) => (
      <Rows name="Executors" rows={rows.map((row) => ({ ...row, id: `${row.name} ${row.started}` }))}
        empty="No executor runs on this store, so that jobs wait. Start one with orrery work STORE, or serve without --no-executor." columns={[
          { head: 'Host', cell: (row) => row.host ?? '–' },
          { head: 'Process', num: true, cell: (row) => row.pid || '–' },
          { head: 'State', cell: stateOf },
          { head: 'Running', num: true, cell: (row) => (row.jobs?.length ? <a href={link(['jobs'], { ids: row.jobs.join() })}><Num n={row.jobs.length} /></a> : <Num n={0} />) },
          { head: 'Room for', num: true, cell: (row) => <Num n={row.room} /> },
          { head: 'Locked', num: true, cell: (row) => <Num n={row.held} /> },
          { head: 'Seen', num: true, cell: (row) => (row.lag === undefined ? '–' : <Ago seconds={row.lag} />) },
          { head: 'Takes', cell: (row) => (row.executor ? taken(row) : '–') },
          { head: 'Version', cell: (row) => row.build ?? '–' },
          { head: 'Name in locks', cell: (row) => <code>{row.name}</code> }
        ]} />
    )}</Loaded>
  )
}

function taken({ priority_min: least, priority_max: most, deployment_aware: aware }) {
  const range = least === undefined && most === undefined ? 'any priority' : `priority ${least ?? 'any'} to ${most ?? 'any'}`
  return aware ? `${range}, of deployments that it knows` : range
}

function Limits() {
  const [adding, setAdding] = useState(false)
  const limits = useData((signal) => titled(signal), [], { kinds: ['job', 'task', 'limit', 'lease'], slow: true })
  return (
    <>
      <header class="head"><h2>Limits</h2>{may('operate') && <span class="actions"><button type="button"
        onClick={() => setAdding(true)}>Set a limit…</button></span>}</header>
      <Loaded from={limits}>{(rows) => (
        <Rows name="Limits" rows={rows}
          empty="None is set: jobs and external tasks run as threads and workers are free." columns={[
            { head: 'Of', cell: (row) => <code>{titleOf(row)}</code> },
            { head: 'Kind', cell: (row) => KINDS[Object.keys(limited(row))[0]] },
            { head: 'At most', cell: (row) => (may('operate') ? <LimitForm key={`${row.max} ${row.perSecond} ${row.burst}`} row={row} done={limits.reload} /> : bounds(row)), width: '38rem' }
          ]} />
      )}</Loaded>
      {adding && <NewLimit onClose={() => setAdding(false)} done={limits.reload} />}
    </>
  )
}

function Held() {
  const [open, setOpen] = useState(null)
  const held = useData(async (signal) => withDefinitions(await get('/job-definition', { suspended: true }, { signal })), [], { kinds: ['definition', 'job'], slow: true })
  const titleOfRow = (row) => `${row.about?.title ?? row.processDefinitionKey} ${row.about?.activityName(row.activityId) ?? row.activityId}`
  const close = () => setOpen(null)
  return (
    <>
      <header class="head"><h2>Suspended job definitions</h2><span class="actions">
        {may('operate') && <button type="button" onClick={() => setOpen('new')}>Suspend…</button>}</span></header>
      <Loaded from={held}>{(rows) => (
        <Rows name="Suspended job definitions" rows={rows} empty="None is suspended." columns={[
          { head: 'Process', cell: (row) => row.about?.title ?? row.processDefinitionKey },
          { head: 'Activity', cell: (row) => row.about?.activityName(row.activityId) ?? row.activityId },
          { head: 'Kind', cell: (row) => row.jobType },
          { head: 'Action', cell: (row) => may('operate') && <button type="button" onClick={() => setOpen(row)}>Activate…</button> }
        ]} />
      )}</Loaded>
      {open === 'new' && <SuspendNew onClose={close} done={held.reload} />}
      {open?.id && <SuspendJobs row={open} title={titleOfRow(open)} onClose={close} done={held.reload} />}
    </>
  )
}

export function Nodes() {
  return (
    <section class="page">
      <h1>Nodes</h1>
      <h2>Executors</h2>
      <Members />
      <Threads />
      <Limits />
      <Held />
    </section>
  )
}
