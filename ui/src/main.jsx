// The frame of every page: who is here, where one can go, keys, and whether the server is heard.
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { go, link, useRoute } from './app/route.js'
import { follow, useConnected } from './app/live.js'
import { engineName, get } from './app/api.js'
import { Account, useSession } from './app/session.jsx'
import { useData } from './app/use.js'
import { Notices } from './parts/notice.jsx'
import { Dialog } from './parts/dialog.jsx'
import { Overview } from './pages/overview.jsx'
import { Definitions } from './pages/definitions.jsx'
import { Instances } from './pages/instances.jsx'
import { Jobs } from './pages/jobs.jsx'
import { lazy } from './parts/lazy.jsx'
import './style/page.css'
import './style/parts.css'
import './style/diagram.css'

const Batches = lazy(() => import('./pages/batches.jsx'), 'Batches')
const Decision = lazy(() => import('./pages/decisions.jsx'), 'Decision')
const Decisions = lazy(() => import('./pages/decisions.jsx'), 'Decisions')
const Definition = lazy(() => import('./pages/definition.jsx'), 'Definition')
const Deployments = lazy(() => import('./pages/deployments.jsx'), 'Deployments')
const Incident = lazy(() => import('./pages/incident.jsx'), 'Incident')
const Instance = lazy(() => import('./pages/instance.jsx'), 'Instance')
const Migrate = lazy(() => import('./pages/migrate.jsx'), 'Migrate')
const Nodes = lazy(() => import('./pages/nodes.jsx'), 'Nodes')
const Moves = lazy(() => import('./pages/moves.jsx'), 'Moves')
const Tasks = lazy(() => import('./pages/tasks.jsx'), 'Tasks')
const Waiting = lazy(() => import('./pages/waiting.jsx'), 'Waiting')

const ROOMS = [
  ['', 'Overview', 'o'], ['definitions', 'Processes', 'd'], ['instances', 'Instances', 'i'], ['jobs', 'Jobs', 'j'], ['tasks', 'Tasks', 't'],
  ['waits', 'Waits', 'w'], ['decisions', 'Decisions', 'c'], ['batches', 'Batches', 'b'], ['deployments', 'Deployments', 'p'], ['nodes', 'Nodes', 'n']
]

function page({ path, query }) {
  const [room, first, second] = path
  switch (room) {
    case undefined: return <Overview />
    case 'definitions': return first ? <Definition key={first} name={first} version={second} query={query} /> : <Definitions query={query} />
    case 'instances': return first ? <Instance key={first} id={first} query={query} /> : <Instances query={query} />
    case 'incidents': return <Incident key={first} id={first} />
    case 'jobs': return <Jobs query={query} />
    case 'waits': return <Waiting query={query} />
    case 'tasks': return <Tasks chosen={first} query={query} />
    case 'decisions': return first ? <Decision key={first} name={first} version={second} query={query} /> : <Decisions query={query} />
    case 'batches': return <Batches chosen={first} />
    case 'deployments': return <Deployments chosen={first} query={query} />
    case 'migrate': return <Migrate key={`${first} ${second}`} from={first} to={second} query={query} />
    case 'moves': return <Moves key={first} id={first} query={query} />
    case 'nodes': return <Nodes />
    default: return <section class="page"><h1>There is no such page</h1><p><a href="#/">Back to the overview</a></p></section>
  }
}

/** g and a letter goes to a room, / searches, ? helps. Not while something is written. */
function useKeys(help) {
  useEffect(() => {
    let going = false
    const key = (event) => {
      if (event.target.closest?.('input, textarea, select, dialog') || event.ctrlKey || event.metaKey || event.altKey) return
      const room = going && ROOMS.find(([, , letter]) => letter === event.key)
      going = event.key === 'g'
      if (room) go(room[0] ? [room[0]] : [])
      else if (event.key === '/') document.getElementById('search').focus()
      else if (event.key === '?') help(true)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  }, [])
}

function Keys({ onClose }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        <dt><kbd>/</kbd></dt><dd>search by business key, id or variable</dd>
        {ROOMS.map(([id, title, letter]) => [<dt key={id}><kbd>g</kbd> <kbd>{letter}</kbd></dt>, <dd key={`${id} `}>{title}</dd>])}
        <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>down and up in a list</dd>
        <dt><kbd>Enter</kbd></dt><dd>open</dd>
        <dt><kbd>x</kbd></dt><dd>select a row</dd>
        <dt><kbd>r</kbd></dt><dd>retry what failed, on an instance's page</dd>
        <dt><kbd>Esc</kbd></dt><dd>close a dialog, leave an edit</dd>
      </dl>
    </Dialog>
  )
}

/** "order-17" is a business key or an id; "amount=100" is a variable. */
function Search() {
  const search = (event) => {
    event.preventDefault()
    const words = new FormData(event.target).get('words').trim()
    if (!words) return
    go(['instances'], { state: 'all', ...(words.includes('=') ? { variables: words } : { find: words }) })
    event.target.reset()
  }
  return (
    <form role="search" onSubmit={search}>
      <input id="search" name="words" type="search" placeholder="Business key, id, or name=value" aria-label="Search instances" autocomplete="off" />
    </form>
  )
}

/** Where the server has several engines: which one the page is of. */
function Engines() {
  const engines = useData((signal) => get('/engine', {}, { signal }), [])
  if ((engines.data?.length ?? 0) < 2) return null
  const chosen = engineName ?? engines.data[0].name
  const change = (event) => {
    location.href = `${location.pathname}?engine=${encodeURIComponent(event.target.value)}#/`
  }
  return (
    <select class="engine" aria-label="Engine" value={chosen} onChange={change}>
      {engines.data.map(({ name }) => <option key={name}>{name}</option>)}
    </select>
  )
}

function App() {
  const route = useRoute()
  const session = useSession()
  const connected = useConnected()
  const [help, setHelp] = useState(false)
  useKeys(setHelp)
  const [room, first] = route.path
  useEffect(() => {
    if (session.known) follow()
  }, [session.known])
  useEffect(() => {
    const title = ROOMS.find(([id]) => id === (room ?? ''))?.[1] ?? 'Orrery'
    document.title = first ? `${first} · ${title} · Orrery` : `${title} · Orrery`
  }, [room, first])
  const current = room === 'migrate' || room === 'moves' ? 'definitions' : room ?? ''
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault()
        document.getElementById('main').focus()
      }}>Skip to the content</a>
      <header class="top">
        <a class="brand" href="#/"><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="3.2" /><circle cx="12" cy="12" r="9"
          class="orbit" /><circle cx="20" cy="8" r="1.8" /></svg>Orrery</a>
        {session.known && <Engines />}
        <nav aria-label="Rooms">
          {ROOMS.map(([id, title]) => <a key={id} href={link(id ? [id] : [])} aria-current={id === current ? 'page' : undefined}>{title}</a>)}
        </nav>
        <Search />
        <button type="button" class="icon" aria-label="Keys" title="Keys (?)" onClick={() => setHelp(true)}>?</button>
        <Account session={session} />
      </header>
      {!connected && session.known && <p class="offline" role="status">The server is not heard; trying again. What is shown may be out of date.</p>}
      {session.dialog}
      <main id="main" tabIndex={-1}>{session.asked && !session.known ? null : page(route)}</main>
      {help && <Keys onClose={() => setHelp(false)} />}
      <Notices />
    </>
  )
}

render(<App />, document.getElementById('page'))
