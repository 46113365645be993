// What waits in all instances: external tasks by topic and worker, and subscriptions to messages, signals and conditions.
import { useState } from 'preact/hooks'
import { count, get, post, put } from '../app/api.js'
import { withDefinitions } from '../app/definition.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData, useList } from '../app/use.js'
import { BulkRetry } from '../parts/bulk.jsx'
import { Fold, Num, Time } from '../parts/format.jsx'
import { attempt } from '../parts/notice.jsx'
import { Send } from '../parts/send.jsx'
import { Table, useSelection } from '../parts/table.jsx'
import { externalState, isHeld } from './waits.jsx'

const MODES = [['', 'external tasks'], ['message', 'messages'], ['signal', 'signals'], ['conditional', 'conditions']]
const STATES = [['', 'any state'], ['free', 'free'], ['locked', 'locked'], ['failed', 'failed'], ['suspended', 'suspended']]
const OF_STATE = { free: { notLocked: true, withRetriesLeft: true, active: true }, locked: { locked: true }, failed: { noRetriesLeft: true }, suspended: { suspended: true } }

const instanceCell = (row) => (row.processInstanceId
  ? <a href={link(['instances', row.processInstanceId], { panel: 'waits', element: row.activityId })}>{row.businessKey ?? row.processInstanceId}</a>
  : <span class="quiet">starts one</span>)
const activityCell = (row) => row.about?.activityName(row.activityId) ?? row.activityId

function Modes({ mode }) {
  return (
    <div class="modes" role="group" aria-label="What waits">
      {MODES.map(([id, title]) => <button key={id} type="button" aria-pressed={mode === id} onClick={() => refine({ of: id, sort: '', name: '' })}>{title}</button>)}
    </div>
  )
}

/** Fields that are applied together: { name, label }. */
function Fields({ fields, query, children }) {
  return (
    <form class="filters" onSubmit={(event) => {
      event.preventDefault()
      refine(Object.fromEntries(new FormData(event.target)))
    }}>
      {fields.map(([name, label]) => <input key={`${name} ${query.get(name)}`} name={name} type="search" placeholder={label} aria-label={label}
        defaultValue={query.get(name) ?? ''} />)}
      {children}
      <button type="submit">Find</button>
    </form>
  )
}

function externalsOf(query) {
  return { topicName: query.get('topic') || undefined, workerId: query.get('worker') || undefined,
    activityId: query.get('activity') || undefined, ...OF_STATE[query.get('state')] }
}

/** Freezes external tasks: those that are selected, or what the list's query finds, up to as many as one action takes. */
const frozen = (ids, asked) => async (signal) => {
  if (ids) return { ids, total: ids.length, sample: ids.slice(0, 5) }
  const [rows, total] = await Promise.all([post('/external-task', asked, { params: { maxResults: 50000 }, signal }), count('/external-task', asked)])
  return { ids: rows.map((row) => row.id), total, sample: rows.slice(0, 5).map((row) => row.businessKey ?? row.id) }
}

function Externals({ query }) {
  const [retry, setRetry] = useState(false)
  const sort = query.get('sort') || 'createTime:asc'
  const asked = externalsOf(query)
  const selection = useSelection(JSON.stringify(asked))
  const [by, order] = sort.split(':')
  const fetch = async (query, first, most) => withDefinitions(await post('/external-task', { ...query, sorting: [{ sortBy: by, sortOrder: order }] },
    { params: { firstResult: first, maxResults: most } }))
  const list = useList((first, most) => fetch(asked, first, most), () => count('/external-task', asked), [JSON.stringify(asked), sort],
    { kinds: ['task', 'external', 'incident', 'instance'], same: (externalTaskIdIn) => fetch({ ...asked, externalTaskIdIn }, 0, externalTaskIdIn.length) })
  const unlock = (row) => attempt(() => post(`/external-task/${row.id}/unlock`), 'Its lock is taken away: another worker may fetch it.').then(list.reload)
  const ids = selection.ids.size ? [...selection.ids] : undefined
  return (
    <>
      <header class="head">
        <Fields query={query} fields={[['topic', 'Topic'], ['worker', 'Worker'], ['activity', 'Id of the activity']]}>
          <select name="state" aria-label="State" key={query.get('state')}>
            {STATES.map(([id, title]) => <option key={id} value={id} selected={id === (query.get('state') ?? '')}>{title}</option>)}
          </select>
        </Fields>
        <span class="number quiet">{list.count?.toLocaleString()}</span>
        {may('operate') && list.count > 0 && (ids || query.get('state') === 'failed') && <span class="actions">
          <button type="button" onClick={() => setRetry(true)}>Retry {ids ? `${ids.length} selected` : 'all of the list'}…</button></span>}
      </header>
      <Table name="External tasks" list={list} sort={sort} selection={may('operate') ? selection : undefined} label={(row) => row.businessKey ?? row.id} empty="None." columns={[
        { head: 'State', cell: externalState, width: '7rem' },
        { head: 'Topic', cell: (row) => <code>{row.topicName}</code>, width: '9rem' },
        { head: 'Instance', cell: instanceCell, width: '9rem' },
        { head: 'Process', sortBy: 'processDefinitionKey', cell: (row) => row.about?.title ?? row.processDefinitionKey, width: '9rem' },
        { head: 'At', cell: activityCell, width: '10rem' },
        { head: 'Worker', cell: (row) => row.workerId ?? <span class="quiet">none</span>, width: '8rem' },
        { head: 'Locked until', sortBy: 'lockExpirationTime', cell: (row) => <Time at={row.lockExpirationTime} />, width: '8.25rem' },
        { head: 'Retries', num: true, cell: (row) => <Num n={row.retries} none="any" />, width: '5rem' },
        { head: 'Priority', num: true, sortBy: 'taskPriority', cell: (row) => <Num n={row.priority} />, width: '5rem' },
        { head: 'Last error', cell: (row) => <Fold text={row.errorMessage} most={100} /> },
        { head: 'Action', width: '7rem', cell: (row) => may('operate') && isHeld(row) && <button type="button" onClick={() => unlock(row)}>Unlock</button> }
      ]} />
      {retry && <BulkRetry title="Retry external tasks" noun="external task" freeze={frozen(ids, asked)}
        retry={(externalTaskIds, _, retries) => put('/external-task/retries', { externalTaskIds, retries }).then(list.reload)} onClose={() => {
          setRetry(false)
          selection.clear()
        }} />}
    </>
  )
}

/** A page of subscriptions, with the keys of their instances: one request for all its rows. */
async function withInstances(asked, first, most) {
  const rows = await get('/event-subscription', { ...asked, firstResult: first, maxResults: most })
  const processInstanceIds = [...new Set(rows.map((row) => row.processInstanceId).filter(Boolean))]
  const instances = new Map((processInstanceIds.length ? await post('/process-instance', { processInstanceIds }) : []).map((each) => [each.id, each]))
  return withDefinitions(rows.map((row) => ({ ...row, businessKey: instances.get(row.processInstanceId)?.businessKey,
    processDefinitionId: instances.get(row.processInstanceId)?.definitionId })))
}

function Subscriptions({ mode, query }) {
  const [sent, setSent] = useState(null)
  const sort = query.get('sort') || 'created:asc'
  const [sortBy, sortOrder] = sort.split(':')
  const asked = { eventType: mode, eventName: query.get('name'), activityId: query.get('activity') }
  const list = useList((first, most) => withInstances({ ...asked, sortBy, sortOrder }, first, most),
    async () => (await get('/event-subscription/count', asked)).count, [JSON.stringify(asked), sort], { kinds: ['instance', 'subscription', 'definition'] })
  const columns = [
    mode !== 'conditional' && { head: 'Name', cell: (row) => <code>{row.eventName}</code> },
    { head: 'Instance', cell: instanceCell },
    { head: 'Process', cell: (row) => row.about?.title ?? <span class="quiet">–</span> },
    { head: 'At', cell: activityCell },
    { head: 'Since', sortBy: 'created', cell: (row) => <Time at={row.createdDate} />, width: '8.25rem' },
    mode !== 'conditional' && may('operate') && { head: 'Action', width: '7rem', cell: (row) => <button type="button"
      onClick={() => setSent({ kind: mode, name: row.eventName, executionId: row.executionId })}>Send…</button> }
  ].filter(Boolean)
  return (
    <>
      <header class="head">
        <Fields query={query} fields={[...(mode === 'conditional' ? [] : [['name', 'Name']]), ['activity', 'Id of the activity']]} />
        <span class="number quiet">{list.count?.toLocaleString()}</span>
      </header>
      <Table name="Subscriptions" list={list} sort={sort} columns={columns} empty="None." />
      {sent && <Send event={sent} onClose={() => setSent(null)} done={list.reload} />}
    </>
  )
}

/** Topics that there are tasks of, each leading to its tasks. */
function Topics() {
  const topics = useData((signal) => get('/external-task/topic-names', {}, { signal }), [], { kinds: ['task', 'external'], slow: true })
  if (!topics.data?.length) return null
  return <p class="quiet">Topics: {topics.data.map((each, i) => [i > 0 && ', ', <a key={each} class="in-text" href={link(['waits'], { topic: each })}>{each}</a>])}</p>
}

export function Waiting({ query }) {
  const mode = query.get('of') ?? ''
  return (
    <section class="page whole">
      <header class="head"><h1>Waits</h1><Modes mode={mode} />{mode === '' && <Topics />}</header>
      {mode === '' ? <Externals query={query} /> : <Subscriptions key={mode} mode={mode} query={query} />}
    </section>
  )
}
