// One version of a process: where its instances stand, what is broken, how often and how long its activities run.
import { useMemo, useState } from 'preact/hooks'
import { get, post } from '../app/api.js'
import { go, goFrom, link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { elementNames, differences } from '../diagram/model.js'
import { DiagramView } from '../parts/diagram.jsx'
import { ActionDialog } from '../parts/dialog.jsx'
import { many, spanText } from '../parts/format.jsx'
import { Failure, Loaded } from '../parts/notice.jsx'
import { Split } from '../parts/split.jsx'
import { State } from '../parts/state.jsx'
import { VariableFields, variablesOf } from '../parts/values.jsx'
import { BulkRetry, frozenFailuresOf } from '../parts/bulk.jsx'
import { lazy } from '../parts/lazy.jsx'
import { InstanceList } from './instances.jsx'

const SuspendDefinition = lazy(() => import('../parts/suspend.jsx'), 'SuspendDefinition')
const MODES = [['live', 'Live'], ['incidents', 'Incidents'], ['count', 'Heat: count'], ['duration', 'Heat: duration'], ['compare', 'Versions']]
const ACTIVITIES = /[Tt]ask$|Event$|Gateway$|[sS]ubProcess$|[cC]allActivity$|transaction$/
const HEAT_SAMPLE = 2000

const incidentsOf = (row) => (row.incidents ?? []).reduce((sum, each) => sum + each.incidentCount, 0)

/** Badges of live tokens and incidents from one statistics call. */
function liveBadges(statistics, only) {
  const badges = new Map()
  for (const row of statistics) {
    const list = []
    const incidents = incidentsOf(row)
    if (row.instances && only !== 'incidents') list.push({ tone: 'run', shape: '', count: row.instances, title: many(row.instances, 'running instance') })
    if (incidents) list.push({ tone: 'bad', shape: '▲', count: incidents, title: many(incidents, 'incident') })
    else if (row.failedJobs) list.push({ tone: 'bad', shape: '▲', count: row.failedJobs, title: many(row.failedJobs, 'failed job') })
    if (list.length) badges.set(row.id, list)
  }
  return badges
}

/** id -> 0..1 by a square root, so that the second hottest is still seen. */
function heatOf(values) {
  const top = Math.max(0, ...values.values())
  return top ? new Map([...values].filter(([, value]) => value > 0).map(([id, value]) => [id, Math.sqrt(value / top)])) : new Map()
}

async function durations(definitionId, signal) {
  const rows = await post('/history/activity-instance', { processDefinitionId: definitionId,
    sorting: [{ sortBy: 'endTime', sortOrder: 'desc' }] }, { params: { maxResults: HEAT_SAMPLE }, signal })
  const sums = new Map()
  for (const { activityId, durationInMillis } of rows.filter((row) => row.endTime)) {
    const sum = sums.get(activityId) ?? { n: 0, ms: 0 }
    sum.n += 1
    sum.ms += durationInMillis
    sums.set(activityId, sum)
  }
  return new Map([...sums].map(([id, { n, ms }]) => [id, ms / n]))
}

/** What the diagram shows in a mode: { badges, heat, marks, note }. */
async function viewOf(mode, definition, other, signal) {
  if (mode === 'count') {
    const rows = await get(`/history/process-definition/${definition.id}/statistics`, { finished: true, canceled: true }, { signal })
    const counts = new Map(rows.map((row) => [row.id, (row.finished ?? 0) + (row.instances ?? 0)]))
    const badges = new Map([...counts].map(([id, n]) => [id, [{ tone: 'plain', shape: '', count: n, title: many(n, 'time', 'times') }]]))
    return { badges, heat: heatOf(counts), note: 'How often each activity was entered, as far as history is kept.' }
  }
  if (mode === 'duration') {
    const means = await durations(definition.id, signal)
    const badges = new Map([...means].map(([id, ms]) => [id, [{ tone: 'plain', shape: spanText(ms), count: 1, title: `${spanText(ms)} in the mean` }]]))
    return { badges, heat: heatOf(means), note: `Mean duration over the last ${HEAT_SAMPLE.toLocaleString()} activities that ended.` }
  }
  if (mode === 'compare') {
    if (!other) return { badges: new Map(), note: 'There is no other version.' }
    const [before, after] = await Promise.all([other.id, definition.id].map((id) => get(`/process-definition/${id}/xml`, {}, { signal })))
    const marks = differences(before.bpmn20Xml, after.bpmn20Xml)
    return { marks, badges: new Map(), compared: { marks, names: new Map([...elementNames(before.bpmn20Xml), ...elementNames(after.bpmn20Xml)]) } }
  }
  const rows = await get(`/process-definition/${definition.id}/statistics`, { failedJobs: true, incidents: true }, { signal })
  return { badges: liveBadges(rows, mode), note: null }
}

function Start({ definition, onClose }) {
  const [key, setKey] = useState('')
  const [fields, setFields] = useState([])
  useData(async (signal) => {
    const form = await get(`/process-definition/${definition.id}/form-variables`, {}, { signal }).catch(() => ({})) // most have no form
    setFields(Object.entries(form).map(([name, { type, value }]) => ({ name, type: type ?? 'String', text: value === null ? '' : String(value), fixed: true })))
    return form
  }, [definition.id], { once: true })
  const start = async () => {
    const here = location.hash
    const instance = await post(`/process-definition/${definition.id}/start`, { businessKey: key || undefined, variables: variablesOf(fields) })
    goFrom(here, ['instances', instance.id])
  }
  return (
    <ActionDialog title={`Start ${definition.name ?? definition.key}`} verb="Start" leave="Do not start" action={start} onClose={onClose}>
      <label>Business key<input value={key} autofocus onInput={(event) => setKey(event.target.value)} /></label>
      <VariableFields fields={fields} onChange={setFields} />
    </ActionDialog>
  )
}

function Difference({ rows }) {
  return <span class="difference">{rows.map(([what, before, after]) => (
    <span key={what}>{what}{before || after ? <>: <del>{before || '–'}</del> → <ins>{after || '–'}</ins></> : null}</span>))}</span>
}

/** What is different from another version, in words; each line shows its element, and those that are gone are only here. */
function Compared({ compared, other, definition, versions }) {
  const { marks, names } = compared
  const kinds = [['added', 'added'], ['changed', 'changed'], ['removed', 'removed']]
  return (
    <div class="compared">
      <label class="inline">Compared with version
        <select value={other.version} onChange={(event) => refine({ with: event.target.value })}>
          {versions.filter((each) => each.id !== definition.id).map(({ id, version }) => <option key={id} value={version}>{version}</option>)}
        </select>
      </label>
      {kinds.every(([kind]) => marks[kind].length === 0) && <p>It says the same.</p>}
      <ul>
        {kinds.flatMap(([kind, title]) => marks[kind].map((id) => (
          <li key={id}>
            <span class={`swatch ${kind}`} aria-hidden="true" />{title}{' '}
            <button type="button" class="link" onClick={() => refine({ activity: id })}>{names.get(id)?.name ?? id}</button>
            {names.get(id)?.name !== id && <> <code>{id}</code></>}
            {kind === 'changed' && <Difference rows={marks.details.get(id)} />}
          </li>)))}
      </ul>
    </div>
  )
}

function Versions({ versions, current, query }) {
  return (
    <label class="inline">Version
      <select value={current.version} onChange={(event) => go(['definitions', current.key, event.target.value], Object.fromEntries(query))}>
        {versions.map(({ id, version, versionTag }) => <option key={id} value={version}>{version}{versionTag ? ` (${versionTag})` : ''}</option>)}
      </select>
    </label>
  )
}

function Actions({ definition, versions, reload }) {
  const [open, setOpen] = useState(null)
  const latest = versions[0].id === definition.id ? versions[1] : versions[0] // or the one before
  return (
    <span class="actions">
      <button type="button" class="primary" disabled={definition.suspended} onClick={() => setOpen('start')}>Start…</button>
      <button type="button" onClick={() => setOpen('suspend')}>{definition.suspended ? 'Activate…' : 'Suspend…'}</button>
      <button type="button" onClick={() => setOpen('retry')}>Retry what failed…</button>
      {latest && <a class="button" href={link(['migrate', definition.id, latest.id])}>Migrate to {latest.version}…</a>}
      {open === 'start' && <Start definition={definition} onClose={() => setOpen(null)} />}
      {open === 'suspend' && <SuspendDefinition definition={definition} done={reload} onClose={() => setOpen(null)} />}
      {open === 'retry' && <BulkRetry title={`Retry what failed in version ${definition.version}`} onClose={() => setOpen(null)}
        freeze={frozenFailuresOf(definition.id)} />}
    </span>
  )
}

/** The same as a click on the drawing, for the keyboard and for large models. */
function Activities({ names, chosen }) {
  const all = [...names].filter(([, { type }]) => ACTIVITIES.test(type)).sort(([, a], [, b]) => a.name.localeCompare(b.name))
  return (
    <select class="activities" aria-label="At which activity" value={chosen ?? ''} onChange={(event) => refine({ activity: event.target.value })}>
      <option value="">at any activity</option>
      {chosen && !all.some(([id]) => id === chosen) && <option value={chosen}>{names.get(chosen)?.name ?? chosen}</option>}
      {all.map(([id, { name }]) => <option key={id} value={id}>{name}</option>)}
    </select>
  )
}

export function Definition({ name, version, query }) {
  const mode = query.get('mode') ?? 'live'
  const activity = query.get('activity')
  const versions = useData((signal) => get('/process-definition', { key: name, sortBy: 'version', sortOrder: 'desc' }, { signal }), [name],
    { kinds: ['definition'] })
  const definition = versions.data && (versions.data.find((each) => String(each.version) === version) ?? versions.data[0])
  const other = definition && (versions.data.find((each) => String(each.version) === query.get('with') && each.id !== definition.id)
    ?? versions.data.find((each) => each.version < definition.version) ?? versions.data.find((each) => each.id !== definition.id))
  const model = useData(async (signal) => definition && (await get(`/process-definition/${definition.id}/xml`, {}, { signal })).bpmn20Xml,
    [definition?.id])
  const view = useData(async (signal) => definition && viewOf(mode, definition, other, signal), [definition?.id, other?.id, mode],
    { kinds: ['instance', 'activity', 'incident', 'job'] })
  const names = useMemo(() => (model.data ? elementNames(model.data) : new Map()), [model.data])
  if (versions.data?.length === 0) return <section class="page"><h1>No process has the key {name}</h1></section>
  if (!definition) return <section class="page"><Loaded from={versions}>{() => null}</Loaded></section>
  const filter = { processDefinitionId: definition.id, activityIdIn: activity ? [activity] : undefined, withIncident: mode === 'incidents' || undefined }
  return (
    <section class="page whole">
      <header class="head">
        <h1>{definition.name ?? definition.key} {definition.suspended && <State of="suspended" />}</h1>
        <Versions versions={versions.data} current={definition} query={query} />
        <div class="modes" role="group" aria-label="What the diagram shows">
          {MODES.map(([id, title]) => <button key={id} type="button" aria-pressed={id === mode} onClick={() => refine({ mode: id === 'live' ? '' : id })}>{title}</button>)}
        </div>
        {may('operate') && <Actions definition={definition} versions={versions.data} reload={versions.reload} />}
      </header>
      <Failure error={view.error} retry={view.reload} />
      <Split name="diagram and list" start={55}>
        <DiagramView xml={model.data} badges={view.data?.badges} heat={view.data?.heat} marks={view.data?.marks} chosen={activity}
          label={`Diagram of ${definition.name ?? definition.key}`} onChoose={(id) => refine({ activity: id === activity ? '' : id })}>
          {view.data?.note && <p class="note">{view.data.note}</p>}
          {view.data?.compared && <Compared compared={view.data.compared} other={other} definition={definition} versions={versions.data} />}
        </DiagramView>
        <InstanceList filter={filter} query={query} withDefinition={false}
          head={<><h2>{mode === 'incidents' ? 'With incidents' : 'Instances'}</h2><Activities names={names} chosen={activity} /></>} />
      </Split>
    </section>
  )
}

/** Names of a model's elements by the definition's id, for pages that show activities without a diagram. */
export function useModel(definitionId) {
  return useData(async (signal) => definitionId && (await get(`/process-definition/${definitionId}/xml`, {}, { signal })).bpmn20Xml, [definitionId])
}

