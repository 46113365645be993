// Lists of instances: running ones, ended ones, those found by key, id or variables.
import { useMemo, useState } from 'preact/hooks'
import { count, get, post } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData, useList } from '../app/use.js'
import { many, Span, Time } from '../parts/format.jsx'
import { definitionsFilter, FilterBar, processFields, timeOf, useProcesses } from '../parts/filters.jsx'
import { lazy } from '../parts/lazy.jsx'
import { Views } from '../parts/views.jsx'
import { Table, useSelection } from '../parts/table.jsx'
import { instanceState, State } from '../parts/state.jsx'
import { BulkCancel, BulkRetry, BulkSuspend, frozenFailures, frozenInstances } from '../parts/bulk.jsx'

const PlanFor = lazy(() => import('../parts/chosen.jsx'), 'PlanFor')
const HISTORY = '/history/process-instance'
const OPERATORS = { '=': 'eq', '!=': 'neq', '>': 'gt', '>=': 'gteq', '<': 'lt', '<=': 'lteq', '~': 'like' }

/** 'amount>=100 and city=Ghent' -> [{ name, operator, value }]; numbers, true, false and null are read as such. */
export function variablesFilter(words) {
  return words.split(/\s+and\s+|,\s*/).filter(Boolean).map((part) => {
    const found = part.match(/^\s*([^=!<>~]+?)\s*(!=|>=|<=|=|>|<|~)\s*(.*?)\s*$/)
    if (!found) throw new Error(`"${part}" is no condition: write name=value, with = != > >= < <= or ~ for a pattern with %.`)
    const [, name, operator, text] = found
    let value = text.replace(/^(["'])(.*)\1$/, '$2')
    if (value === text && operator !== '~') {
      if (/^-?\d+(\.\d+)?$/.test(text)) value = Number(text)
      else if (text === 'true' || text === 'false') value = text === 'true'
      else if (text === 'null') value = null
    }
    return { name, operator: OPERATORS[operator], value }
  })
}

function sorting(sort) {
  const [by, order] = (sort ?? 'startTime:desc').split(':')
  return [{ sortBy: by, sortOrder: order ?? 'desc' }]
}

/** Acts on what is selected, else on what the list's own query finds, of which only what still runs. */
function Bulks({ selection, query, live }) {
  const [open, setOpen] = useState(null)
  const ids = selection.ids.size ? [...selection.ids] : undefined
  const freeze = frozenInstances({ ids, query })
  const close = () => {
    setOpen(null)
    selection.clear()
  }
  return (
    <span class="actions">
      <span class="quiet">{ids ? `${many(ids.length, 'instance')} selected` : live ? 'all of the list' : 'all of the list that run'}:</span>
      <button type="button" onClick={() => setOpen('retry')}>Retry…</button>
      <button type="button" onClick={() => setOpen('suspend')}>Suspend…</button>
      <button type="button" onClick={() => setOpen('activate')}>Activate…</button>
      <button type="button" onClick={() => setOpen('plan')}>Migrate or move…</button>
      <button type="button" class="danger" onClick={() => setOpen('cancel')}>Cancel…</button>
      {open === 'retry' && <BulkRetry title="Retry what failed" freeze={frozenFailures(freeze)} onClose={close} />}
      {open === 'suspend' && <BulkSuspend suspended freeze={freeze} onClose={close} />}
      {open === 'activate' && <BulkSuspend suspended={false} freeze={freeze} onClose={close} />}
      {open === 'plan' && <PlanFor ids={ids} query={query} onClose={close} />}
      {open === 'cancel' && <BulkCancel freeze={freeze} onClose={close} />}
    </span>
  )
}

/** A page of the list, of which those with an incident are marked: two requests for all its rows. */
async function withIncidents(asked, sort, first, most) {
  const rows = await post(HISTORY, { ...asked, sorting: sorting(sort) }, { params: { firstResult: first, maxResults: most } })
  const processInstanceIds = rows.filter((row) => !row.endTime).map((row) => row.id)
  if (processInstanceIds.length === 0) return rows
  const broken = new Set((await post('/process-instance', { processInstanceIds, withIncident: true })).map((each) => each.id))
  return rows.map((row) => ({ ...row, broken: broken.has(row.id) }))
}

/** `filter` is of the live list (activityIdIn, withIncident, …); `state` of the address says running, ended or all; `start`: without one. */
export function InstanceList({ filter, query, head, withDefinition = true, start = 'running' }) {
  const state = query.get('state') ?? start
  const sort = query.get('sort') ?? 'startTime:desc'
  const { activityIdIn, withIncident, ...common } = filter
  const asked = {
    ...common, unfinished: state === 'running' || undefined, finished: state === 'ended' || undefined,
    ...(activityIdIn && { [state === 'ended' ? 'executedActivityIdIn' : 'activityIdIn']: activityIdIn }), withIncidents: withIncident
  }
  const selection = useSelection(JSON.stringify(asked))
  const list = useList((first, most) => withIncidents(asked, sort, first, most), () => count(HISTORY, asked), [JSON.stringify(asked), sort],
    { kinds: ['instance', 'incident'], same: (processInstanceIds) => withIncidents({ ...asked, processInstanceIds }, sort, 0, processInstanceIds.length) })
  const columns = [
    { head: 'State', cell: (row) => <State of={row.broken ? 'incident' : instanceState(row)} />, width: '8rem' },
    { head: 'Business key', sortBy: 'businessKey', cell: (row) => <a href={link(['instances', row.id])}>{row.businessKey ?? <span class="quiet">none</span>}</a> },
    withDefinition && { head: 'Process', sortBy: 'definitionName', cell: (row) => row.processDefinitionName ?? row.processDefinitionKey },
    { head: 'Started', sortBy: 'startTime', cell: (row) => <Time at={row.startTime} />, width: '8.25rem' },
    state !== 'running' && { head: 'Ended', sortBy: 'endTime', cell: (row) => <Time at={row.endTime} />, width: '8.25rem' },
    state !== 'running' && { head: 'Took', sortBy: 'duration', num: true, cell: (row) => <Span ms={row.durationInMillis} />, width: '7rem' },
    (withDefinition || state === 'running') && { head: 'Id', cell: (row) => <code>{row.id}</code>, width: '8rem' }
  ].filter(Boolean)
  return (
    <div class="list">
      <header class="head">
        {head}
        <span class="number quiet">{list.count === undefined ? '' : list.count.toLocaleString()}</span>
        <div class="modes" role="group" aria-label="Which instances">
          {['running', 'ended', 'all'].map((each) => <button key={each} type="button" aria-pressed={state === each}
            onClick={() => refine({ state: each === start ? '' : each })}>{each}</button>)}
        </div>
        {state !== 'ended' && list.count > 0 && may('operate') && <Bulks selection={selection} query={asked} live={state === 'running'} />}
      </header>
      <Table name="Instances" list={list} columns={columns} sort={sort} selection={state === 'running' && may('operate') ? selection : undefined}
        label={(row) => row.businessKey ?? row.id} empty="None." />
    </div>
  )
}

/** What looks like an id may be one: then there is a link to that instance above those whose key it is part of. */
function ById({ id }) {
  const found = useData((signal) => get(`${HISTORY}/${id}`, {}, { signal }).catch(() => null), [id])
  return found.data ? <p>The instance <a href={link(['instances', id])}>{found.data.businessKey ?? id}</a> has this id.</p> : null
}

/** The query that the address says; `undefined` while it is not known yet. Throws what is wrong with a filter. */
function filterOf(query, processes) {
  const definitions = definitionsFilter(query, processes)
  if (!definitions) return undefined
  const words = query.get('variables')
  const find = query.get('find')
  const error = query.get('error')
  return {
    ...definitions, activityIdIn: query.get('activity') ? [query.get('activity')] : undefined,
    variables: words ? variablesFilter(words) : undefined,
    processInstanceBusinessKeyLike: find ? `%${find}%` : undefined,
    incidentMessageLike: error ? `%${error}%` : undefined,
    startedAfter: timeOf(query.get('after')), startedBefore: timeOf(query.get('before')),
    withIncident: query.get('incidents') ? true : undefined
  }
}

/** The filter of an address, made once: "2h" ago stays the same instant while the list is looked at. */
function useFilter(query, processes) {
  return useMemo(() => {
    try {
      return { filter: filterOf(query, processes) }
    } catch (error) {
      return { wrong: error.message }
    }
  }, [query.toString(), processes.versions])
}

export function Instances({ query }) {
  const find = query.get('find')
  const processes = useProcesses(query.get('process'))
  const { filter, wrong } = useFilter(query, processes)
  const fields = [
    { name: 'find', label: 'Business key or id' },
    ...processFields(processes),
    { name: 'after', label: 'Started after', hint: 'Started after: 2h, 3d, a date' },
    { name: 'before', label: 'Started before', hint: 'Started before' },
    { name: 'error', label: 'Error text' },
    { name: 'variables', label: 'Variables', hint: 'amount>=100 and city=Ghent' }
  ]
  return (
    <section class="page whole">
      <header class="head"><h1>Instances</h1><Views room="instances" query={query} /></header>
      <FilterBar query={query} fields={fields} more={['incidents']}>
        <label class="inline"><input type="checkbox" name="incidents" value="true" key={`i${query.get('incidents')}`}
          defaultChecked={Boolean(query.get('incidents'))} /> with incidents</label>
      </FilterBar>
      {/^\d+$/.test(find ?? '') && <ById id={find} />}
      {wrong ? <p class="failure" role="alert">{wrong}</p> : filter && <InstanceList filter={filter} query={query} head={null} />}
    </section>
  )
}
