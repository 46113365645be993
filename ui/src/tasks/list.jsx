// Lists of tasks: mine, those that I may take, all that I see. What is looked for stands in the address, and can be kept by a name.
import { useState } from 'preact/hooks'
import { count, post } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { useData } from '../app/use.js'
import { many, Time, instant } from '../parts/format.jsx'
import { Loaded } from '../parts/notice.jsx'
import { Views } from '../parts/views.jsx'

const PAGE = 30
const DAY_MS = 86400000
const TITLES = { mine: 'My tasks', groups: 'Tasks to take', all: 'All tasks' }
const EMPTY = {
  mine: 'You have no tasks.', groups: 'There is nothing to take: no task waits for you or one of your groups.', all: 'There are no tasks.'
}
const SORTS = [['dueDate:asc', 'due first'], ['priority:desc', 'important first'], ['created:desc', 'newest first'], ['created:asc', 'oldest first']]
const DUE = [['', 'due any time'], ['over', 'overdue'], ['day', 'due within a day'], ['week', 'due within a week']]

const sent = (date) => date.toISOString().replace('Z', '+0000')

function within(due, now = Date.now()) {
  const ahead = { over: 0, day: DAY_MS, week: 7 * DAY_MS }[due]
  return ahead === undefined ? {} : { dueBefore: sent(new Date(now + ahead)) }
}

/** Tasks that are not put off. Who puts one off and hands it over has put it off for himself. */
const notPutOff = () => ({ followUpBeforeOrNotExistent: sent(new Date()), delegationState: 'PENDING' })

/** What a view asks the server for. */
export function queryOf(room, query, me) {
  const words = query.get('find')
  const mayTake = { candidateUser: me.name, ...(me.groups.length > 0 && { candidateGroups: me.groups }) }
  return {
    ...(room === 'mine' && { assignee: me.name }),
    ...(room === 'groups' && { unassigned: true, orQueries: [mayTake] }),
    ...(words && { nameLike: `%${words}%` }),
    ...within(query.get('due')),
    ...(query.get('later') !== 'yes' && room === 'mine' && { orQueries: [notPutOff()] })
  }
}

function Due({ at }) {
  if (!at) return null
  const over = instant(at) < new Date()
  return <span class={over ? 'state bad' : ''}>{over ? '▲ overdue: ' : 'due '}<Time at={at} /></span>
}

function Row({ task, room, me }) {
  const holder = task.assignee && task.assignee !== me.name ? task.assignee : null
  return (
    <li>
      <a href={link(['task', task.id], { in: room })}>
        <strong>{task.name ?? task.taskDefinitionKey ?? 'A task'}</strong>
        <span class="about">
          <Due at={task.due} />
          {task.priority > 50 && <span class="state warn">! important</span>}
          {task.delegationState === 'PENDING' && <span class="state held">↷ handed over</span>}
          {task.suspended && <span class="state held">‖ suspended</span>}
          {holder && <span class="quiet">{holder} has it</span>}
          {!task.assignee && room !== 'groups' && <span class="quiet">nobody has it</span>}
          <span class="quiet">since <Time at={task.created} /></span>
        </span>
      </a>
    </li>
  )
}

function Filters({ room, query }) {
  const choose = (name) => (event) => refine({ [name]: event.target.value })
  const search = (event) => {
    event.preventDefault()
    refine({ find: new FormData(event.target).get('find') })
  }
  return (
    <>
      <form role="search" class="filters" onSubmit={search}>
        <input name="find" type="search" aria-label="Search by name" placeholder="name" defaultValue={query.get('find') ?? ''} />
        <button type="submit">Search</button>
      </form>
      <div class="filters">
        <select aria-label="Order" value={query.get('sort') ?? SORTS[0][0]} onChange={choose('sort')}>
          {SORTS.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
        <select aria-label="Due" value={query.get('due') ?? ''} onChange={choose('due')}>
          {DUE.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </select>
        {room === 'mine' && <label class="inline"><input type="checkbox" checked={query.get('later') === 'yes'}
          onChange={(event) => refine({ later: event.target.checked ? 'yes' : '' })} />also for later</label>}
        <Views room={room} query={query} />
      </div>
    </>
  )
}

export function List({ room, query, me }) {
  const [most, setMost] = useState(PAGE)
  const [sortBy, sortOrder] = (query.get('sort') ?? SORTS[0][0]).split(':')
  const list = useData(async (signal) => {
    const asked = queryOf(room, query, me)
    const [rows, total] = await Promise.all([
      post('/task', { ...asked, sorting: [{ sortBy, sortOrder }] }, { params: { maxResults: most }, signal }), count('/task', asked)])
    return { rows, total }
  }, [room, query.toString(), most, me.name], { kinds: ['task'] })
  return (
    <section class="page">
      <header class="head"><h1>{TITLES[room]}</h1>{list.data && <span class="quiet" role="status">{many(list.data.total, 'task')}</span>}</header>
      <Filters room={room} query={query} />
      <Loaded from={list}>{({ rows, total }) => (
        <>
          {total === 0 && <p class="empty">{EMPTY[room]}</p>}
          <ul class="cards">{rows.map((task) => <Row key={task.id} task={task} room={room} me={me} />)}</ul>
          {total > rows.length && <p class="more"><button type="button" onClick={() => setMost(most + PAGE)}>Show {Math.min(PAGE, total - rows.length)} more of {total.toLocaleString()}</button></p>}
        </>
      )}</Loaded>
    </section>
  )
}
