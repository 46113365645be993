// What each token of an instance waits for, and what would help it on.
import { useMemo, useState } from 'preact/hooks'
import { get, post } from '../app/api.js'
import { retryNow } from '../app/retry.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { conditions, waitsOf } from '../diagram/waits.js'
import { Time } from '../parts/format.jsx'
import { attempt, Loaded } from '../parts/notice.jsx'
import { Send } from '../parts/send.jsx'
import { jobState, State } from '../parts/state.jsx'
import { Rows } from '../parts/table.jsx'
import { Why } from './jobs.jsx'
import { useModel } from './definition.jsx'

const KINDS = { message: 'message', signal: 'signal', condition: 'condition', topic: 'topic', timer: 'timer', job: 'job', task: 'task',
  instance: 'called instance', others: 'other tokens', word: 'a word' }

/** Whether a worker holds an external task now. */
export const isHeld = (task) => Boolean(task.workerId && task.lockExpirationTime && new Date(task.lockExpirationTime.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) > new Date())

export function externalState(task) {
  if (task.suspended) return <State of="suspended" />
  if (task.retries === 0) return <State of="failed" />
  return isHeld(task) ? <State of="locked" label="locked" /> : <State of="waiting" label="free" />
}

function External({ task }) {
  return (
    <>
      topic <code>{task.topicName}</code> {externalState(task)}{' '}
      {isHeld(task) && <>by worker <code>{task.workerId}</code> until <Time at={task.lockExpirationTime} /></>}
      {task.errorMessage && <span class="message"> {task.errorMessage}</span>}
    </>
  )
}

function Message({ row, instance }) {
  return (
    <>message <code>{row.name}</code>, correlated by {instance.businessKey ? <>the business key <code>{instance.businessKey}</code>, </> : ''}
      the instance’s id, or its variables</>
  )
}

function what(row, { instance, written }) {
  switch (row.kind) {
    case 'message': return <Message row={row} instance={instance} />
    case 'signal': return <>signal <code>{row.name}</code></>
    case 'condition': return <>condition <code>{written.get(row.activityId) ?? 'of the model'}</code></>
    case 'topic': return <External task={row.external} />
    case 'timer': return <>timer, <Time at={row.job.dueDate} none="due at once" /></>
    case 'job': return <>job <State of={jobState(row.job)} /> {row.job.exceptionMessage && <span class="message">{row.job.exceptionMessage}</span>}</>
    case 'task': return <>task <a class="in-text" href={link(['tasks', row.task.id])}>{row.task.name ?? row.task.taskDefinitionKey}</a>, {row.task.assignee
      ? <>which {row.task.assignee} has</> : 'which nobody has claimed'}</>
    case 'instance': return <>called instance <a class="in-text" href={link(['instances', row.called], { panel: 'waits' })}>{row.called}</a></>
    case 'others': return <>tokens on its other incoming flows</>
    default: return <>being told to go on</>
  }
}

function topicHelp(task) {
  if (task.suspended) return 'Activate the instance.'
  if (task.retries === 0) return 'Mend the cause, then retry.'
  if (isHeld(task)) return 'Its worker ends it, or the lock runs out and another worker fetches it.'
  return `A worker that fetches the topic ${task.topicName}.`
}

const HELP = {
  message: () => 'The message: send it.',
  signal: () => 'The signal: send it.',
  condition: () => 'A change of a variable that makes it true.',
  topic: (row) => topicHelp(row.external),
  timer: () => 'Its time, or run it now.',
  job: (row) => (row.job.retries === 0 ? 'Mend the cause, then retry.' : 'An executor that takes it: “Why?” says what it lacks.'),
  task: (row) => (row.task.assignee ? `${row.task.assignee} completes it.` : 'Somebody claims and completes it.'),
  instance: () => 'The end of that instance.',
  others: () => 'The tokens that are still under way; a token that never comes can be moved there.',
  word: () => 'Tell it to go on.'
}

const act = (action, said, reload) => attempt(action, said).then(reload)

function TopicActions({ task, reload }) {
  return (
    <>
      {task.retries === 0 && <button type="button" onClick={() => act(() => retryNow([], [task.id]),
        'A worker may fetch it again.', reload)}>Retry</button>}
      {isHeld(task) && <button type="button" onClick={() => act(() => post(`/external-task/${task.id}/unlock`),
        'Its lock is taken away: another worker may fetch it.', reload)}>Unlock</button>}
    </>
  )
}

function Actions({ row, open, reload, why }) {
  if (!may('operate') && !row.job) return null
  switch (row.kind) {
    case 'message':
    case 'signal': return <button type="button" onClick={() => open(row)}>Send…</button>
    case 'topic': return <TopicActions task={row.external} reload={reload} />
    case 'timer':
    case 'job': return (
      <>
        <button type="button" onClick={() => why(row.job.id)}>Why?</button>
        {!may('operate') ? null : row.job.retries === 0 ? <button type="button" onClick={() => act(() => retryNow([row.job.id]), 'It has another attempt.', reload)}>Retry</button>
          : <button type="button" onClick={() => act(() => post(`/job/${row.job.id}/execute`), 'It has run.', reload)}>Run now</button>}
      </>)
    case 'word': return <button type="button" onClick={() => act(() => post(`/execution/${row.executionId}/signal`), 'It goes on.', reload)}>Go on</button>
    default: return null
  }
}

async function listsOf(instance, signal) {
  const id = instance.id
  const [subscriptions, externals, jobs, tasks, definitions] = await Promise.all([
    get('/event-subscription', { processInstanceId: id }, { signal }), post('/external-task', { processInstanceId: id }, { signal }),
    post('/job', { processInstanceId: id }, { signal }), post('/task', { processInstanceId: id }, { signal }),
    get('/job-definition', { processDefinitionId: instance.processDefinitionId }, { signal })])
  return { subscriptions, externals, jobs, tasks, definitions }
}

const calls = (activities) => activities.filter((each) => !each.endTime && each.calledProcessInstanceId)

export function WaitsPanel({ instance, running, element, tokens, names, activities }) {
  const [sent, setSent] = useState(null)
  const [why, setWhy] = useState(null)
  const lists = useData((signal) => (running ? listsOf(instance, signal) : null), [instance.id, running],
    { kinds: ['instance', 'activity', 'job', 'task', 'incident', 'subscription'], id: instance.id })
  const model = useModel(instance.processDefinitionId)
  const written = useMemo(() => (model.data ? conditions(model.data) : new Map()), [model.data])
  if (!running) return <p class="empty">It has ended: nothing waits.</p>
  return (
    <Loaded from={lists}>{(found) => (
      <>
        {instance.state === 'SUSPENDED' && <p class="failure">The instance is suspended: nothing of it goes on until it is activated.</p>}
        <Rows key={element ?? ''} name="What tokens wait for" empty="Nothing is waited for: what is active runs now."
          rows={waitsOf(tokens, { ...found, called: calls(activities.data ?? []) }).filter((row) => !element || row.activityId === element)} columns={[
            { head: 'At', width: '12rem', cell: (row) => <button type="button" class="link" onClick={() => refine({ element: row.activityId })}>
              {names.get(row.activityId)?.name ?? row.activityId}</button> },
            { head: 'Kind', width: '8rem', cell: (row) => KINDS[row.kind] },
            { head: 'Waits for', cell: (row) => what(row, { instance, written }) },
            { head: 'What would help', cell: (row) => HELP[row.kind](row), width: '18rem' },
            { head: 'Since', cell: (row) => <Time at={row.since} />, width: '8.25rem' },
            { head: 'Action', width: '12rem', cell: (row) => <span class="actions"><Actions row={row} open={setSent} reload={lists.reload}
              why={(job) => setWhy(why === job ? null : job)} /></span> }
          ]} />
        {why && <Why job={why} />}
        {sent && <Send event={sent} onClose={() => setSent(null)} done={lists.reload} />}
      </>
    )}</Loaded>
  )
}
