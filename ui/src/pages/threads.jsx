// What each thread of each executor is at, on all machines. They are asked when somebody looks, since a thread answers between its steps.
import { get } from '../app/api.js'
import { link } from '../app/route.js'
import { useData } from '../app/use.js'
import { Loaded } from '../parts/notice.jsx'
import { Time } from '../parts/format.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

const STATES = { running: 'running', awaiting: 'waiting', committing: 'due', idle: 'completed', elsewhere: 'skipped' }

/** The engine tells moments in seconds. */
const moment = (seconds) => seconds && new Date(seconds * 1000).toISOString()

/** A row for each thread, and one for each process that has not answered. */
function rowsOf(processes) {
  return processes.flatMap(({ name, host, pid, answered, threads, jobs }) => (answered
    ? threads.map((each, i) => ({ ...each, id: `${name} ${i}`, name, host, pid }))
    : [{ id: name, name, host, pid, silent: true, jobs }]))
}

function Job({ row }) {
  if (row.silent) return <>{(row.jobs ?? []).map((job) => <a key={job} href={link(['jobs'], { ids: job })}>{job} </a>)}</>
  return row.job ? <a href={link(['jobs'], { ids: row.job })}>{row.job}</a> : <span class="quiet">none</span>
}

function At({ row }) {
  if (!row.activity_id) return <span class="quiet">–</span>
  const at = `${row.definition_key ?? ''} ${row.activity_id}`
  return row.instance_id ? <a href={link(['instances', row.instance_id], { element: row.activity_id, panel: 'waits' })}>{at}</a> : at
}

/** Where the delegate's code is; of a thread that is in C, since when. */
function Line({ row }) {
  return (
    <>
      {row.line && <code>{row.line}</code>}{row.in_c_since && <> in C since <Time at={moment(row.in_c_since)} /></>}
      {row.limit_at && <span class="quiet"> until <Time at={moment(row.limit_at)} /> at most</span>}
    </>
  )
}

export function Threads() {
  const threads = useData((signal) => get('/orrery/threads', {}, { signal }), [], { kinds: ['job', 'executor'], slow: true })
  return (
    <>
      <header class="head"><h2>Threads</h2><span class="actions"><button type="button" onClick={threads.reload}>Ask again</button></span></header>
      <Loaded from={threads}>{(processes) => (
        <Rows name="Threads" rows={rowsOf(processes)} empty="No executor runs on this store." columns={[
          { head: 'Executor', cell: (row) => `${row.host ?? '–'} ${row.pid || ''}` },
          { head: 'Thread', num: true, cell: (row) => row.thread ?? '–', width: '5rem' },
          { head: 'State', cell: (row) => (row.silent ? <State of="failed" label="does not answer" /> : <State of={STATES[row.state]} label={row.state} />), width: '8rem' },
          { head: 'Job', cell: (row) => <Job row={row} /> },
          { head: 'At', cell: (row) => <At row={row} /> },
          { head: 'Delegate', cell: (row) => row.delegate && <><code>{row.delegate}</code>{row.listener ? ', a listener' : ''}</> },
          { head: 'Since', cell: (row) => <Time at={moment(row.since)} />, width: '8.25rem' },
          { head: 'Line', cell: (row) => <Line row={row} /> }
        ]} />
      )}</Loaded>
    </>
  )
}
