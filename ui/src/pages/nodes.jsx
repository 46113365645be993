// Who executes jobs, and what may hold them up: executors, limits, suspended job definitions.
import { useState } from 'preact/hooks'
import { get, put } from '../app/api.js'
import { useData } from '../app/use.js'
import { Num, Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

function LimitForm({ limit, done }) {
  const [value, setValue] = useState(limit.max === null ? '' : String(limit.max))
  return (
    <form class="inline" onSubmit={(event) => {
      event.preventDefault()
      attempt(() => put(`/orrery/limits/${encodeURIComponent(limit.key)}`, { max: value === '' ? null : Number(value) }), value === '' ? `${limit.key} has no limit now.` : `${limit.key} may run ${value} at once.`).then(done)
    }}>
      <input type="number" min="0" aria-label={`Limit of ${limit.key}`} value={value} placeholder="none" onInput={(event) => setValue(event.target.value)} />
      <button type="submit">Set</button>
    </form>
  )
}

export function Nodes() {
  const executors = useData((signal) => get('/orrery/executors', {}, { signal }), [], { kinds: ['executor', 'figures'] })
  const limits = useData((signal) => get('/orrery/limits', {}, { signal }), [], { kinds: ['job'] })
  const held = useData((signal) => get('/job-definition', { suspended: true }, { signal }), [], { kinds: ['definition', 'job'] })
  const activate = (row) => attempt(() => put(`/job-definition/${row.id}/suspended`, { suspended: false, includeJobs: true }), 'Its jobs run again.').then(held.reload)
  return (
    <section class="page">
      <h1>Nodes</h1>
      <Loaded from={executors}>{(rows) => (
        <Rows name="Executors" rows={rows} empty="No executor runs on this store: jobs wait. Start one with orrery work, or serve with an executor." columns={[
          { head: 'Executor', cell: (row) => row.name },
          { head: 'State', cell: (row) => <State of={row.alive === false ? 'failed' : 'running'} label={row.alive === false ? 'gone' : 'at work'} /> },
          { head: 'Process', cell: (row) => [row.host, row.pid].filter(Boolean).join(' ') },
          { head: 'Workers', num: true, cell: (row) => <Num n={row.workers} /> },
          { head: 'Running', num: true, cell: (row) => <Num n={row.running} /> },
          { head: 'Since', cell: (row) => <Time at={row.since} /> }
        ]} />
      )}</Loaded>
      <h2>Limits</h2>
      <Loaded from={limits}>{(rows) => (
        <Rows name="Limits" rows={rows.map((row) => ({ ...row, id: row.key }))} empty="No limit is set: jobs run as workers are free." columns={[
          { head: 'Of', cell: (row) => <code>{row.key}</code> },
          { head: 'Running', num: true, cell: (row) => <Num n={row.running} /> },
          { head: 'Waiting', num: true, cell: (row) => <Num n={row.waiting} /> },
          { head: 'At most', cell: (row) => <LimitForm limit={row} done={limits.reload} /> }
        ]} />
      )}</Loaded>
      <h2>Suspended job definitions</h2>
      <Loaded from={held}>{(rows) => (
        <Rows name="Suspended job definitions" rows={rows} empty="None is suspended." columns={[
          { head: 'Process', cell: (row) => row.processDefinitionKey },
          { head: 'Activity', cell: (row) => row.activityId },
          { head: 'Kind', cell: (row) => row.jobType },
          { head: 'Action', cell: (row) => <button type="button" onClick={() => activate(row)}>Activate</button> }
        ]} />
      )}</Loaded>
    </section>
  )
}
