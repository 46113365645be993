// Batches: what was asked for, how far it is, what went wrong.
import { del, get, put } from '../app/api.js'
import { link } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { Num, Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

function Progress({ batch }) {
  const { done, total } = batch
  return <span class="progress"><progress max={total || 1} value={done} aria-label={`${done} of ${total}`} /> <Num n={done} /> of <Num n={total} /></span>
}

/** What a batch does, in words; of another engine's kinds there is the kind. */
const WORDS = {
  'instance-deletion': 'cancel instances', 'historic-instance-deletion': 'delete the history of instances',
  'instance-update-suspension-state': 'suspend or activate instances', 'job-update-suspension-state': 'suspend or activate jobs', 'set-job-retries': 'retry jobs', 'set-job-priority': 'set the priority of jobs',
  'set-external-task-retries': 'retry external tasks', 'instance-migration': 'migrate instances', 'instance-modification': 'move tokens',
  'instance-restart': 'restart instances', 'set-variables': 'set variables', 'correlate-message': 'send a message',
  'process-set-removal-time': 'set when the history of instances goes', 'decision-set-removal-time': 'set when the history of decisions goes',
  'batch-set-removal-time': 'set when the history of batches goes', 'historic-decision-instance-deletion': 'delete the history of decisions'
}
const wordsOf = ({ type }) => <span title={type}>{WORDS[type] ?? type}</span>

/** What went well, what was gone before its turn, and what is in a job without retries, which keeps the batch from ending. */
const OUTCOME = [
  { head: 'Ok', num: true, cell: (row) => <Num n={row.done - row.skipped} /> },
  { head: 'Skipped', num: true, cell: (row) => (row.skipped ? <State of="skipped" label={row.skipped.toLocaleString()} /> : <Num n={0} />) },
  { head: 'Failed', num: true, cell: (row) => (row.failed ? <a href={link(['jobs'], { state: 'failed' })}><State of="failed" label={row.failed.toLocaleString()} /></a> : <Num n={0} />) }
]
const list = (completed, sortBy, maxResults) => (signal) => get('/orrery/batches', { completed, sortBy, sortOrder: 'desc', maxResults }, { signal })

export function Batches({ chosen }) {
  const batches = useData(list(false, 'batchId', 200), [], { kinds: ['batch', 'job'], slow: true })
  const ended = useData(list(true, 'endTime', 50), [], { kinds: ['batch'], slow: true })
  const suspend = (batch) => attempt(() => put(`/batch/${batch.id}/suspended`, { suspended: !batch.suspended }), batch.suspended ? 'It goes on.' : 'It is suspended.').then(batches.reload)
  const remove = (batch) => {
    if (confirm('Delete this batch? What it has done stays done.')) attempt(() => del(`/batch/${batch.id}`, { cascade: true }), 'The batch is deleted.').then(batches.reload)
  }
  return (
    <section class="page">
      <h1>Batches</h1>
      <h2>Running</h2>
      <Loaded from={batches}>{(rows) => (
        <Rows name="Running batches" rows={rows} empty="None is running. Bulk actions on lists of instances and jobs make batches." current={(row) => row.id === chosen} columns={[
          { head: 'Batch', cell: (row) => <code>{row.id}</code>, width: '8rem' },
          { head: 'Does', cell: (row) => <>{wordsOf(row)} {row.suspended && <State of="suspended" />}</> },
          { head: 'Progress', cell: (row) => <Progress batch={row} />, width: '16rem' },
          ...OUTCOME,
          { head: 'Started', cell: (row) => <Time at={row.startTime} /> },
          { head: 'By', cell: (row) => row.createUserId ?? '–' },
          { head: 'Action', cell: (row) => may('operate') && <span class="actions"><button type="button" onClick={() => suspend(row)}>{row.suspended ? 'Activate' : 'Suspend'}</button>
            <button type="button" class="danger" onClick={() => remove(row)}>Delete…</button></span> }
        ]} />
      )}</Loaded>
      <h2>Ended</h2>
      <Loaded from={ended}>{(rows) => (
        <Rows name="Ended batches" rows={rows} empty="The history knows of none." current={(row) => row.id === chosen} columns={[
          { head: 'Batch', cell: (row) => <code>{row.id}</code>, width: '8rem' },
          { head: 'Did', cell: wordsOf },
          { head: 'State', cell: (row) => <State of={row.state} /> },
          ...OUTCOME.slice(0, 2),
          { head: 'Started', cell: (row) => <Time at={row.startTime} /> },
          { head: 'Ended', cell: (row) => <Time at={row.endTime} /> },
          { head: 'By', cell: (row) => row.createUserId ?? '–' }
        ]} />
      )}</Loaded>
    </section>
  )
}
