// One instance: where its tokens are and what is wrong, what happened, and how to put it right.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { del, get, post, put } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { retryInstance } from '../app/retry.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { elementNames } from '../diagram/model.js'
import { standing } from '../diagram/trail.js'
import { SkipListeners } from '../parts/bulk.jsx'
import { DiagramView } from '../parts/diagram.jsx'
import { ActionDialog } from '../parts/dialog.jsx'
import { Copy, many, Span, Time } from '../parts/format.jsx'
import { attempt, Failure, Loaded } from '../parts/notice.jsx'
import { Split, Tabs } from '../parts/split.jsx'
import { instanceState, State } from '../parts/state.jsx'
import { Move } from './move.jsx'
import { lazy } from '../parts/lazy.jsx'
import { useModel } from './definition.jsx'
import { Walk } from './walk.jsx'
import { CalledPanel, Callers } from './called.jsx'
import { IncidentsPanel, JobsPanel, LogPanel, TasksPanel, TimelinePanel, TreePanel, VariablesPanel } from './panels.jsx'

const WaitsPanel = lazy(() => import('./waits.jsx'), 'WaitsPanel')
const ACTIVITIES_MAX = 5000

/** The tree of live activity instances as a list: { id, activityId, name, transition, depth, parent }. */
export function flatten(tree, depth = 0, parent = null) {
  if (!tree) return []
  const here = { id: tree.id, activityId: tree.activityId, type: tree.activityType, name: tree.activityName ?? tree.name, depth, parent,
    executionId: tree.executionIds?.[0], incidents: tree.incidents ?? [], leaf: !tree.childActivityInstances?.length && !tree.childTransitionInstances?.length }
  const waiting = (tree.childTransitionInstances ?? []).map((each) => ({ id: each.id, activityId: each.activityId, type: each.activityType,
    name: each.activityName, depth: depth + 1, parent: tree.id, transition: true, incidents: each.incidents ?? [], leaf: true }))
  return [here, ...(tree.childActivityInstances ?? []).flatMap((child) => flatten(child, depth + 1, tree.id)), ...waiting]
}

function liveBadges(tokens, incidents) {
  const badges = new Map()
  const count = (id, kind) => {
    const counts = badges.get(id) ?? { run: 0, bad: 0 }
    counts[kind] += 1
    badges.set(id, counts)
  }
  for (const token of tokens) if (token.parent) count(token.activityId, 'run')
  for (const incident of incidents) if (incident.activityId) count(incident.activityId, 'bad')
  return new Map([...badges].map(([id, { run, bad }]) => [id, [
    run && { tone: 'run', shape: '●', count: run, title: many(run, 'token') },
    bad && { tone: 'bad', shape: '▲', count: bad, title: many(bad, 'incident') }
  ].filter(Boolean)]))
}

function pastBadges({ active, ended }) {
  const badges = new Map([...active].map(([id, n]) => [id, [{ tone: 'run', shape: '●', count: n, title: many(n, 'token') }]]))
  for (const [id, n] of ended) {
    badges.set(id, [...(badges.get(id) ?? []), { tone: 'done', shape: '✓', count: n, title: many(n, 'time', 'times') }])
  }
  return badges
}

/** What is loaded for the whole page; the panels load what is theirs. */
function useInstance(id) {
  const kinds = ['instance', 'activity', 'incident', 'job']
  const instance = useData((signal) => get(`/history/process-instance/${id}`, {}, { signal }), [id], { kinds, id })
  const running = instance.data && !instance.data.endTime
  const tree = useData(async (signal) => (running ? get(`/process-instance/${id}/activity-instances`, {}, { signal }) : null), [id, running], { kinds, id })
  const incidents = useData((signal) => get('/incident', { processInstanceId: id }, { signal }), [id], { kinds, id })
  const activities = useData((signal) => post('/history/activity-instance', { processInstanceId: id, sorting: [{ sortBy: 'startTime', sortOrder: 'asc' }] },
    { params: { maxResults: ACTIVITIES_MAX }, signal }), [id], { kinds, id })
  const flows = useData((signal) => get('/orrery/flows', { processInstanceId: id }, { signal }), [id], { kinds, id })
  return { instance, tree, incidents, activities, flows, running }
}

function Cancel({ instance, onClose }) {
  const [reason, setReason] = useState('')
  const [quiet, setQuiet] = useState(false)
  return (
    <ActionDialog title="Cancel this instance" verb="Cancel the instance" leave="Keep it running" danger onClose={onClose}
      action={() => post('/process-instance/delete',
        { processInstanceIds: [instance.id], deleteReason: reason || undefined, skipCustomListeners: quiet || undefined })}>
      <p>Its tokens go, and with them its jobs and tasks. What it has done is not undone.</p>
      <label>Reason<input value={reason} onInput={(event) => setReason(event.target.value)} autofocus /></label>
      <SkipListeners checked={quiet} set={setQuiet} />
    </ActionDialog>
  )
}

function Actions({ instance, incidents, reload }) {
  const [open, setOpen] = useState(false)
  const suspended = instance.state === 'SUSPENDED'
  const retry = () => attempt(() => retryInstance(instance.id), (n) => `${many(n, 'attempt')} queued; last error: ${incidents[0]?.incidentMessage ?? 'none'}`)
  useEffect(() => {
    const key = (event) => {
      if (event.key === 'r' && incidents.length > 0 && !event.target.closest?.('input, textarea, select, dialog') && !event.ctrlKey && !event.metaKey) retry()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  })
  const suspend = () => attempt(() => put(`/process-instance/${instance.id}/suspended`, { suspended: !suspended }),
    suspended ? 'The instance goes on.' : 'The instance is suspended.').then(reload)
  return (
    <span class="actions">
      {incidents.length > 0 && <button type="button" class="primary" onClick={retry} title="Retry (r)">Retry what failed</button>}
      <button type="button" onClick={suspend}>{suspended ? 'Activate' : 'Suspend'}</button>
      <button type="button" onClick={() => refine({ move: 'yes', at: '' })}>Move a token…</button>
      <button type="button" class="danger" onClick={() => setOpen(true)}>Cancel…</button>
      {open && <Cancel instance={instance} onClose={() => setOpen(false)} />}
    </span>
  )
}

function Forget({ instance }) {
  const forget = () => {
    if (confirm('Delete the history of this instance? It cannot be brought back.')) attempt(() => del(`/history/process-instance/${instance.id}`), 'Its history is deleted.')
  }
  return <span class="actions"><button type="button" class="danger" onClick={forget}>Delete its history…</button></span>
}

function Facts({ instance }) {
  return (
    <dl class="facts">
      <div><dt>Process</dt><dd><a href={link(['definitions', instance.processDefinitionKey, instance.processDefinitionVersion])}>
        {instance.processDefinitionName ?? instance.processDefinitionKey} {instance.processDefinitionVersion}</a></dd></div>
      <div><dt>Started</dt><dd><Time at={instance.startTime} />{instance.startUserId ? ` by ${instance.startUserId}` : ''}</dd></div>
      {instance.endTime && <div><dt>Ended</dt><dd><Time at={instance.endTime} /> after <Span ms={instance.durationInMillis} /></dd></div>}
      {instance.deleteReason && <div><dt>Reason</dt><dd>{instance.deleteReason}</dd></div>}
      <div><dt>Id</dt><dd><Copy text={instance.id}><code>{instance.id}</code></Copy></dd></div>
    </dl>
  )
}

function panel(open, props) {
  switch (open) {
    case 'waits': return <WaitsPanel {...props} />
    case 'jobs': return <JobsPanel {...props} />
    case 'incidents': return <IncidentsPanel {...props} />
    case 'tasks': return <TasksPanel {...props} />
    case 'called': return <CalledPanel {...props} />
    case 'tree': return <TreePanel {...props} />
    case 'timeline': return <TimelinePanel {...props} />
    case 'log': return <LogPanel {...props} />
    default: return <VariablesPanel {...props} />
  }
}

export function Instance({ id, query }) {
  const { instance, tree, incidents, activities, flows, running } = useInstance(id)
  const model = useModel(instance.data?.processDefinitionId)
  const element = query.get('element')
  const at = /^\d{1,15}$/.test(query.get('at') ?? '') ? Number(query.get('at')) : null
  const moving = query.get('move') && running && may('operate')
  const names = useMemo(() => (model.data ? elementNames(model.data) : new Map()), [model.data])
  const tokens = useMemo(() => flatten(tree.data), [tree.data])
  const open = query.get('panel') ?? (incidents.data?.length ? 'incidents' : 'variables')
  const badges = useMemo(() => (at === null ? liveBadges(tokens, incidents.data ?? []) : pastBadges(standing(activities.data ?? [], at))),
    [at, tokens, incidents.data, activities.data])
  const marks = useMemo(() => ({ taken: at === null ? [...new Set((activities.data ?? []).filter((each) => each.endTime).map((each) => each.activityId)),
    ...(flows.data ?? []).map((each) => each.flowId)] : [] }), [at, activities.data, flows.data])
  if (!instance.data) return <section class="page"><h1>Instance {id}</h1><Loaded from={instance}>{() => null}</Loaded></section>
  const props = { instance: instance.data, running, element, names, tokens, tree: tree.data, incidents, activities, at, query }
  const tabs = [['variables', 'Variables'], ['incidents', 'Incidents', incidents.data?.length, 'bad'], ['waits', 'Waits for'], ['jobs', 'Jobs'], ['tasks', 'Tasks'],
    ['called', 'Called'], ['tree', 'Tree', tokens.filter((token) => token.leaf).length], ['timeline', 'Timeline'], ['log', 'Log']]
  return (
    <section class="page whole">
      <Callers instance={instance.data} />
      <header class="head">
        <h1>{instance.data.businessKey ?? `Instance ${id}`} <State of={incidents.data?.length ? 'incident' : instanceState(instance.data)} /></h1>
        <Facts instance={instance.data} />
        {!may('operate') ? null : running ? <Actions instance={instance.data} incidents={incidents.data ?? []} reload={instance.reload} /> : <Forget instance={instance.data} />}
      </header>
      <Failure error={tree.error ?? incidents.error ?? activities.error} />
      <Split name="diagram and panels" down start={55}>
        <DiagramView xml={model.data} badges={badges} marks={marks} chosen={element} label={`Diagram with the tokens of ${instance.data.businessKey ?? id}`}
          onChoose={(chosen) => (moving ? refine({ target: chosen }) : refine({ element: chosen === element ? '' : chosen }))}>
          {moving && <Move id={id} tokens={tokens} names={names} from={query.get('from')} target={query.get('target')} />}
          <Walk instanceId={id} activities={activities.data ?? []} at={at} />
        </DiagramView>
        <Tabs name="Of this instance" tabs={tabs} open={open} onOpen={(next) => refine({ panel: next })}>
          {element && <p class="chip">At {names.get(element)?.name ?? element}
            <button type="button" class="icon" aria-label="Of the whole instance" onClick={() => refine({ element: '' })}>✕</button></p>}
          {panel(open, props)}
        </Tabs>
      </Split>
    </section>
  )
}
