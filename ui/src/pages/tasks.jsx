// People's tasks: claim, give to another, complete, with a form made of what the task's form declares.
import { useState } from 'preact/hooks'
import { count, get, post, put } from '../app/api.js'
import { goFrom, link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData, useList } from '../app/use.js'
import { Num, Time } from '../parts/format.jsx'
import { attempt, Failure, Loaded } from '../parts/notice.jsx'
import { Split } from '../parts/split.jsx'
import { Table } from '../parts/table.jsx'
import { VariableFields, variablesOf } from '../parts/values.jsx'

function queryOf(query) {
  const person = query.get('person')
  const words = query.get('find')
  return {
    ...(query.get('who') === 'unassigned' && { unassigned: true }),
    ...(query.get('who') === 'person' && person && { assignee: person }),
    ...(query.get('who') === 'candidate' && person && { candidateUser: person }),
    ...(words && { nameLike: `%${words}%` })
  }
}

function useIdentity() {
  const [user, set] = useState(() => {
    try {
      return localStorage.getItem('orrery.person') ?? ''
    } catch {
      return ''
    }
  })
  return [user, (name) => {
    set(name)
    try {
      localStorage.setItem('orrery.person', name)
    } catch { /* asked again next time */ }
  }]
}

/** What the task's form declares; without one, the variables that the task sees. */
async function formVariables(id, signal) {
  try {
    return await get(`/task/${id}/form-variables`, { deserializeValues: false }, { signal })
  } catch (error) {
    if (error.status !== 501) throw error
    return get(`/task/${id}/variables`, { deserializeValues: false }, { signal })
  }
}

function Form({ task, reload }) {
  const [fields, setFields] = useState([])
  const [error, setError] = useState(null)
  const form = useData(async (signal) => {
    const variables = await formVariables(task.id, signal)
    setFields(Object.entries(variables).filter(([, { type }]) => !['File', 'Bytes', 'Object'].includes(type))
      .map(([name, { type, value }]) => ({ name, type: type ?? 'String', text: value === null || value === undefined ? '' : String(value), was: value, fixed: true })))
    return variables
  }, [task.id], { once: true })
  // What was not changed is not sent, so that it keeps its type and its scope.
  const changed = () => variablesOf(fields.filter((field) => !field.fixed || field.text !== (field.was === null || field.was === undefined ? '' : String(field.was))))
  const complete = async (event) => {
    event.preventDefault()
    setError(null)
    let variables
    try {
      variables = changed()
    } catch (wrong) {
      setError(wrong)
      return
    }
    const here = location.hash
    const { ok } = await attempt(() => post(`/task/${task.id}/complete`, { variables }), `"${task.name ?? task.taskDefinitionKey}" is complete.`)
    if (ok) {
      goFrom(here, ['tasks'])
      reload()
    }
  }
  return (
    <form onSubmit={complete}>
      <Loaded from={form}>{() => <VariableFields fields={fields} onChange={setFields} />}</Loaded>
      <Failure error={error} />
      <button type="submit" class="primary" disabled={task.suspended}>Complete</button>
    </form>
  )
}

function Links({ task }) {
  const links = useData((signal) => get(`/task/${task.id}/identity-links`, {}, { signal }), [task.id], { kinds: ['task'] })
  return <Loaded from={links}>{(data) => data.filter((each) => each.type === 'candidate').map((each) => each.groupId ? `group ${each.groupId}` : each.userId).join(', ') || '–'}</Loaded>
}

function Task({ id, reload }) {
  const [person, setPerson] = useIdentity()
  const task = useData((signal) => get(`/task/${id}`, {}, { signal }), [id], { kinds: ['task'] })
  const again = () => {
    task.reload()
    reload()
  }
  return (
    <div class="list">
      <Loaded from={task}>{(data) => (
        <article class="task">
          <h2>{data.name ?? data.taskDefinitionKey}</h2>
          {data.description && <p>{data.description}</p>}
          <dl class="facts">
            <div><dt>Instance</dt><dd>{data.processInstanceId ? <a href={link(['instances', data.processInstanceId], { element: data.taskDefinitionKey })}>{data.processInstanceId}</a> : 'none: a task of its own'}</dd></div>
            <div><dt>Assignee</dt><dd>{data.assignee ?? <span class="quiet">nobody</span>}</dd></div>
            <div><dt>Candidates</dt><dd><Links task={data} /></dd></div>
            <div><dt>Created</dt><dd><Time at={data.created} /></dd></div>
            <div><dt>Due</dt><dd><Time at={data.due} /></dd></div>
            <div><dt>Priority</dt><dd><Num n={data.priority} /></dd></div>
          </dl>
          {may('operate') && <p class="actions">
            <label class="inline">Person<input value={person} placeholder="who" onInput={(event) => setPerson(event.target.value)} /></label>
            <button type="button" disabled={!person || Boolean(data.assignee)} onClick={() => attempt(() => post(`/task/${id}/claim`, { userId: person }), `${person} has claimed it.`).then(again)}>Claim</button>
            <button type="button" disabled={!data.assignee} onClick={() => attempt(() => post(`/task/${id}/unclaim`), 'It is nobody’s again.').then(again)}>Give back</button>
            <button type="button" disabled={!person || data.assignee === person} onClick={() => attempt(() => post(`/task/${id}/assignee`, { userId: person }), `It is ${person}’s now.`).then(again)}>Assign</button>
          </p>}
          {may('operate') && <Form key={id} task={data} reload={reload} />}
        </article>
      )}</Loaded>
    </div>
  )
}

export function Tasks({ chosen, query }) {
  const sort = query.get('sort') ?? 'created:desc'
  const [by, order] = sort.split(':')
  const who = query.get('who') ?? 'all'
  const asked = queryOf(query)
  const list = useList((first, most) => post('/task', { ...asked, sorting: [{ sortBy: by, sortOrder: order }] }, { params: { firstResult: first, maxResults: most } }),
    () => count('/task', asked), [JSON.stringify(asked), sort],
    { kinds: ['task'], same: (taskIdIn) => post('/task', { ...asked, taskIdIn }) })
  const columns = [
    { head: 'Task', sortBy: 'name', cell: (row) => <a href={link(['tasks', row.id], Object.fromEntries(query))}>{row.name ?? row.taskDefinitionKey}</a> },
    { head: 'Assignee', sortBy: 'assignee', cell: (row) => row.assignee ?? <span class="quiet">nobody</span> },
    { head: 'Created', sortBy: 'created', cell: (row) => <Time at={row.created} /> },
    { head: 'Due', sortBy: 'dueDate', cell: (row) => <Time at={row.due} /> },
    { head: 'Priority', sortBy: 'priority', num: true, cell: (row) => <Num n={row.priority} /> }
  ]
  const table = <Table name="Tasks" list={list} columns={columns} sort={sort} empty="No task is open." current={(row) => row.id === chosen} />
  return (
    <section class="page whole">
      <header class="head">
        <h1>Tasks</h1>
        <span class="number quiet">{list.count?.toLocaleString()}</span>
        <form class="filters" onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.target)
          refine({ who: data.get('who'), person: data.get('person'), find: data.get('find') })
        }}>
          <select name="who" aria-label="Whose" defaultValue={who}>
            <option value="">all</option><option value="unassigned">nobody’s</option>
            <option value="person">of the person</option><option value="candidate">the person may claim</option>
          </select>
          <input name="person" aria-label="Person" placeholder="person" defaultValue={query.get('person') ?? ''} />
          <input name="find" type="search" aria-label="Name" placeholder="name" defaultValue={query.get('find') ?? ''} />
          <button type="submit">Find</button>
        </form>
      </header>
      {chosen ? <Split name="list and task" start={55}>{table}<Task key={chosen} id={chosen} reload={list.reload} /></Split> : table}
    </section>
  )
}
