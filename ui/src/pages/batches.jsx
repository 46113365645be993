// Batches: what was asked for, how far it is, what went wrong.
import { del, get, put } from '../app/api.js'
import { link } from '../app/route.js'
import { useData } from '../app/use.js'
import { Num, Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

function Progress({ batch }) {
  const done = batch.totalJobs - batch.remainingJobs
  return <span class="progress"><progress max={batch.totalJobs || 1} value={done} aria-label={`${done} of ${batch.totalJobs} jobs`} /> <Num n={done} /> of <Num n={batch.totalJobs} /></span>
}

export function Batches({ chosen }) {
  const batches = useData((signal) => get('/batch/statistics', { sortBy: 'batchId', sortOrder: 'desc', maxResults: 200 }, { signal }), [], { kinds: ['batch', 'job'] })
  const ended = useData((signal) => get('/history/batch', { completed: true, sortBy: 'endTime', sortOrder: 'desc', maxResults: 50 }, { signal }), [], { kinds: ['batch', 'job'] })
  const suspend = (batch) => attempt(() => put(`/batch/${batch.id}/suspended`, { suspended: !batch.suspended }), batch.suspended ? 'It goes on.' : 'It is suspended.').then(batches.reload)
  const remove = (batch) => {
    if (confirm('Delete this batch? What it has done stays done.')) attempt(() => del(`/batch/${batch.id}`, { cascade: true }), 'The batch is deleted.').then(batches.reload)
  }
  return (
    <section class="page">
      <h1>Batches</h1>
      <h2>Running</h2>
      <Loaded from={batches}>{(rows) => (
        <Rows name="Running batches" rows={rows} empty="None is running." current={(row) => row.id === chosen} columns={[
          { head: 'Batch', cell: (row) => <code>{row.id}</code>, width: '8rem' },
          { head: 'Does', cell: (row) => row.type },
          { head: 'Progress', cell: (row) => <Progress batch={row} />, width: '18rem' },
          { head: 'Failed', num: true, cell: (row) => (row.failedJobs ? <a href={link(['jobs'], { state: 'failed' })}><State of="failed" label={row.failedJobs.toLocaleString()} /></a> : <Num n={0} />) },
          { head: 'Started', cell: (row) => <Time at={row.startTime} /> },
          { head: 'By', cell: (row) => row.createUserId ?? '–' },
          { head: 'Action', cell: (row) => <span class="actions"><button type="button" onClick={() => suspend(row)}>{row.suspended ? 'Activate' : 'Suspend'}</button>
            <button type="button" class="danger" onClick={() => remove(row)}>Delete…</button></span> }
        ]} />
      )}</Loaded>
      <h2>Ended</h2>
      <Loaded from={ended}>{(rows) => (
        <Rows name="Ended batches" rows={rows} empty="The history knows of none." current={(row) => row.id === chosen} columns={[
          { head: 'Batch', cell: (row) => <code>{row.id}</code>, width: '8rem' },
          { head: 'Did', cell: (row) => row.type },
          { head: 'Jobs', num: true, cell: (row) => <Num n={row.totalJobs} /> },
          { head: 'Started', cell: (row) => <Time at={row.startTime} /> },
          { head: 'Ended', cell: (row) => <Time at={row.endTime} /> },
          { head: 'By', cell: (row) => row.createUserId ?? '–' }
        ]} />
      )}</Loaded>
    </section>
  )
}
