// Suspension of a version of a process, or of an activity's jobs: with what there is of it or without, now or from a date.
import { useState } from 'preact/hooks'
import { get, put } from '../app/api.js'
import { useData } from '../app/use.js'
import { ActionDialog } from './dialog.jsx'
import { many } from './format.jsx'
import { say } from './notice.jsx'

/** A time of the browser's field as the server takes it; none: now. */
export function dateOf(local) {
  if (!local) return undefined
  const date = new Date(local)
  if (!(date > new Date())) throw new Error('The date has to lie ahead; without one it is done now.')
  return date.toISOString().replace('Z', '+0000')
}

/** `suspended`: as it is now. `what`: what may go with it. `act({ suspended, all, executionDate })` does it. */
function Suspension({ title, suspended, what, note, act, onClose }) {
  const [all, setAll] = useState(true)
  const [date, setDate] = useState('')
  const verb = suspended ? 'Activate' : 'Suspend'
  const run = async () => {
    const executionDate = dateOf(date)
    await act({ suspended: !suspended, all, executionDate })
    say(executionDate ? `It is to be ${verb.toLowerCase()}d at ${new Date(date).toLocaleString()}.` : `It is ${verb.toLowerCase()}d.`)
  }
  return (
    <ActionDialog title={`${verb} ${title}`} verb={verb} action={run} onClose={onClose}>
      <label class="inline"><input type="checkbox" checked={all} onChange={(event) => setAll(event.target.checked)} /> {what}</label>
      <label>From (now, where nothing is said)<input type="datetime-local" value={date} onInput={(event) => setDate(event.target.value)} /></label>
      <p class="quiet">{note}</p>
    </ActionDialog>
  )
}

export function SuspendDefinition({ definition, onClose, done }) {
  const running = useData((signal) => get('/process-instance/count', { processDefinitionId: definition.id }, { signal }), [definition.id], { once: true })
  const act = async ({ suspended, all, executionDate }) => {
    await put(`/process-definition/${definition.id}/suspended`, { suspended, includeProcessInstances: all, executionDate })
    done()
  }
  return <Suspension title={`${definition.name ?? definition.key} ${definition.version}`} suspended={definition.suspended} act={act} onClose={onClose}
    what={`with its ${running.data ? many(running.data.count, 'running instance') : '…'}`}
    note={definition.suspended ? 'New instances may be started again.' : 'No new instances can be started; jobs of suspended instances wait, and their tasks cannot be completed.'} />
}

export function SuspendJobs({ row, title, onClose, done }) {
  const act = async ({ suspended, all, executionDate }) => {
    await put(`/job-definition/${row.id}/suspended`, { suspended, includeJobs: all, executionDate })
    done()
  }
  return <Suspension title={`the jobs of ${title}`} suspended={row.suspended} act={act} onClose={onClose} what="with the jobs that there are"
    note={row.suspended ? 'New jobs of it run again.' : 'New jobs of it wait; without those that there are, they still run.'} />
}

/** Which activity's jobs are to be suspended. */
export function SuspendNew({ onClose, done }) {
  const [id, setId] = useState('')
  const all = useData((signal) => get('/job-definition', { active: true, sortBy: 'processDefinitionKey', sortOrder: 'asc', maxResults: 500 }, { signal }), [], { once: true })
  const row = (all.data ?? []).find((each) => each.id === id)
  if (row) return <SuspendJobs row={row} title={`${row.processDefinitionKey} ${row.activityId}`} onClose={onClose} done={done} />
  return (
    <ActionDialog title="Suspend the jobs of an activity" verb="Suspend" disabled action={() => {}} onClose={onClose}>
      <label>Job definition<select value={id} onChange={(event) => setId(event.target.value)}>
        <option value="" disabled>choose one</option>
        {(all.data ?? []).map((each) => <option key={each.id} value={each.id}>{each.processDefinitionKey} {each.activityId} ({each.id})</option>)}</select></label>
    </ActionDialog>
  )
}
