// The page of people who have tasks: their lists, a task with its form, processes that they may start.
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { follow, useConnected } from '../app/live.js'
import { link, useRoute } from '../app/route.js'
import { Account, useSession } from '../app/session.jsx'
import { Notices } from '../parts/notice.jsx'
import { List } from './list.jsx'
import { Start, Starts } from './start.jsx'
import { Task } from './task.jsx'
import '../style/page.css'
import '../style/parts.css'
import '../style/diagram.css'
import './tasks.css'

const ROOMS = [['mine', 'Mine'], ['groups', 'To take'], ['all', 'All'], ['start', 'Start']]
const PERSON = 'orrery.person'

function named() {
  try {
    return localStorage.getItem(PERSON) ?? ''
  } catch {
    return ''
  }
}

/** A server without users knows nobody: who uses the page says a name, which this browser keeps. */
function Who({ onName }) {
  const [name, setName] = useState('')
  const save = (event) => {
    event.preventDefault()
    try {
      localStorage.setItem(PERSON, name.trim())
    } catch { /* asked again next time */ }
    onName(name.trim())
  }
  return (
    <form class="page who" onSubmit={save}>
      <h1>Whose tasks?</h1>
      <p class="quiet">This server has no users and asks for no password.</p>
      <label>Your name<input value={name} autofocus required onInput={(event) => setName(event.target.value)} /></label>
      <button type="submit" class="primary">Show my tasks</button>
    </form>
  )
}

function page({ path: [room = 'mine', id], query }, me) {
  if (room === 'task' && id) return <Task key={id} id={id} me={me} from={query.get('in') ?? 'mine'} />
  if (room === 'start') return id ? <Start key={id} name={id} /> : <Starts />
  if (ROOMS.some(([name]) => name === room)) return <List key={room} room={room} query={query} me={me} />
  return <section class="page"><h1>There is no such page</h1><p><a href="#/mine">To my tasks</a></p></section>
}

/** Who reads with the keyboard or by ear begins at the heading of what has opened. */
function useFocus(route) {
  const [room, id] = route.path
  const [first, setFirst] = useState(true)
  useEffect(() => {
    if (first) setFirst(false)
    else document.getElementById('main')?.focus()
  }, [room, id])
}

function App() {
  const route = useRoute()
  const session = useSession()
  const connected = useConnected()
  const [person, setPerson] = useState(named)
  useFocus(route)
  useEffect(() => {
    if (session.known) follow()
  }, [session.known])
  const [room = 'mine'] = route.path
  const title = ROOMS.find(([id]) => id === room)?.[1] ?? 'Task'
  useEffect(() => {
    document.title = `${title} · Tasks · Orrery`
  }, [title])
  const current = room === 'task' ? route.query.get('in') ?? 'mine' : room
  const me = { name: session.user ?? person, groups: session.groups ?? [] }
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault()
        document.getElementById('main').focus()
      }}>Skip to the content</a>
      <header class="top">
        <a class="brand" href="#/mine">Tasks</a>
        <nav aria-label="Views">
          {ROOMS.map(([id, name]) => <a key={id} href={link([id])} aria-current={id === current ? 'page' : undefined}>{name}</a>)}
        </nav>
        <Account session={session} />
      </header>
      {!connected && session.known && <p class="offline" role="status">The server is not heard; trying again. What is shown may be out of date.</p>}
      {session.dialog}
      <main id="main" tabIndex={-1}>
        {!session.known ? null : me.name ? page(route, me) : <Who onName={setPerson} />}
      </main>
      <Notices />
    </>
  )
}

render(<App />, document.getElementById('page'))
