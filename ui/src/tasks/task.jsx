// One task: what it is about, who has it, its form, and what there is to say of it.
import { useState } from 'preact/hooks'
import { address, get, post, put, upload } from '../app/api.js'
import { goFrom, link } from '../app/route.js'
import { useData } from '../app/use.js'
import { DiagramView } from '../parts/diagram.jsx'
import { ActionDialog } from '../parts/dialog.jsx'
import { instant, Time } from '../parts/format.jsx'
import { attempt, Loaded, say } from '../parts/notice.jsx'
import { FormOf, TASK_FORM } from './form.jsx'

const KEPT = ['name', 'description', 'assignee', 'owner', 'delegationState', 'priority', 'parentTaskId', 'due', 'followUp']

function HandOver({ task, me, onClose, done }) {
  const [person, setPerson] = useState('')
  const others = useData((signal) => get('/identity/groups', { userId: me.name }, { signal }), [me.name], { once: true })
  const act = async () => {
    await post(`/task/${task.id}/delegate`, { userId: person.trim() })
    say(`${person.trim()} has it now, and hands it back to you when it is done.`)
  }
  return (
    <ActionDialog title="Hand it over" verb="Hand it over" action={act} onClose={onClose} onDone={done} disabled={!person.trim()}>
      <label>To<input value={person} list="people" autofocus autocomplete="off" onInput={(event) => setPerson(event.target.value)} /></label>
      <datalist id="people">{(others.data?.groupUsers ?? []).map(({ id }) => <option key={id} value={id} />)}</datalist>
      <p class="quiet">You get it back to complete it.</p>
    </ActionDialog>
  )
}

/** 2026-01-31T12:00 as the browser's field has it, in this browser's zone. */
function localText(at) {
  const date = instant(at)
  return date ? new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16) : ''
}
const sentTime = (text) => (text ? new Date(text).toISOString().replace('Z', '+0000') : null)

function Dates({ task, onClose, done }) {
  const [due, setDue] = useState(localText(task.due))
  const [later, setLater] = useState(localText(task.followUp))
  const save = () => put(`/task/${task.id}`, { ...Object.fromEntries(KEPT.map((name) => [name, task[name]])), due: sentTime(due), followUp: sentTime(later) })
  return (
    <ActionDialog title="When" verb="Save" action={save} onClose={onClose} onDone={done}>
      <label>Due<input type="datetime-local" value={due} autofocus onInput={(event) => setDue(event.target.value)} /></label>
      <label>Show it to me again<input type="datetime-local" value={later} onInput={(event) => setLater(event.target.value)} /></label>
    </ActionDialog>
  )
}

function Actions({ task, me, reload }) {
  const [open, setOpen] = useState(null)
  // The button that did it goes away: what comes next is read from the top.
  const done = () => {
    setOpen(null)
    reload()
    document.getElementById('main').focus()
  }
  const act = (path, body, said) => attempt(() => post(`/task/${task.id}/${path}`, body), said).then(done)
  if (!task.assignee) {
    return <p class="actions"><button type="button" class="primary" onClick={() => act('claim', { userId: me.name }, 'It is yours.')}>Take it</button></p>
  }
  if (task.assignee !== me.name) return <p class="quiet">{task.assignee} has it{task.delegationState === 'PENDING' ? ', and hands it back to you' : ''}.</p>
  return (
    <p class="actions">
      <button type="button" onClick={() => setOpen('over')}>Hand it over…</button>
      <button type="button" onClick={() => setOpen('dates')}>When…</button>
      <button type="button" onClick={() => act('unclaim', {}, 'It is nobody’s again.')}>Give it back</button>
      {open === 'over' && <HandOver task={task} me={me} onClose={() => setOpen(null)} done={done} />}
      {open === 'dates' && <Dates task={task} onClose={() => setOpen(null)} done={done} />}
    </p>
  )
}

function Facts({ task }) {
  return (
    <dl class="facts">
      <div><dt>Since</dt><dd><Time at={task.created} /></dd></div>
      {task.due && <div><dt>Due</dt><dd><Time at={task.due} /></dd></div>}
      {task.followUp && <div><dt>Again</dt><dd><Time at={task.followUp} /></dd></div>}
      {task.owner && <div><dt>From</dt><dd>{task.owner}</dd></div>}
    </dl>
  )
}

/** A part that is asked for only once somebody opens it. */
function Opened({ title, children }) {
  const [open, setOpen] = useState(false)
  return <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}><summary>{title}</summary>{open && children()}</details>
}

function Comments({ id }) {
  const comments = useData((signal) => get(`/task/${id}/comment`, {}, { signal }), [id], { kinds: ['task', 'comment'] })
  const add = async (event) => {
    event.preventDefault()
    const form = event.target
    const { ok } = await attempt(() => post(`/task/${id}/comment/create`, { message: new FormData(form).get('message') }))
    if (!ok) return
    form.reset()
    comments.reload()
  }
  return (
    <>
      <form class="filters" onSubmit={add}>
        <input name="message" aria-label="Your comment" placeholder="your comment" required autocomplete="off" /><button type="submit">Add</button>
      </form>
      <Loaded from={comments} empty="Nobody has said anything.">{(all) => (
        <ul class="said">{all.map((each) => <li key={each.id}><strong>{each.userId ?? 'somebody'}</strong> <Time at={each.time} /><p class="message">{each.message}</p></li>)}</ul>
      )}</Loaded>
    </>
  )
}

function Files({ id }) {
  const files = useData((signal) => get(`/task/${id}/attachment`, {}, { signal }), [id], { kinds: ['task', 'attachment'] })
  const add = async (event) => {
    event.preventDefault()
    const form = event.target
    const file = form.elements.content.files[0]
    if (!file) return
    const data = new FormData()
    data.append('attachment-name', file.name)
    data.append('attachment-type', file.type || 'application/octet-stream')
    data.append('content', file)
    const { ok } = await attempt(() => upload(`/task/${id}/attachment/create`, data), `“${file.name}” is attached.`)
    if (!ok) return
    form.reset()
    files.reload()
  }
  return (
    <>
      <form class="filters" onSubmit={add}>
        <input name="content" type="file" aria-label="A file to attach" required /><button type="submit">Attach</button>
      </form>
      <Loaded from={files} empty="No file is attached.">{(all) => (
        <ul class="said">{all.map((each) => <li key={each.id}>{each.url ? <span>{each.name}: {each.url}</span>
          : <a class="in-text" href={address(`/task/${id}/attachment/${each.id}/data`)} download={each.name ?? 'file'}>{each.name ?? 'a file'}</a>} <Time at={each.createTime} /></li>)}</ul>
      )}</Loaded>
    </>
  )
}

const DONE = {
  Create: 'made it', Claim: 'took it', Assign: 'gave it to somebody', Delegate: 'handed it over', Resolve: 'handed it back', SetOwner: 'set its owner',
  SetPriority: 'set its priority', Update: 'changed it', AddComment: 'commented', AddAttachment: 'attached a file', AddUserLink: 'added a candidate',
  AddGroupLink: 'added a group'
}

function Past({ id }) {
  const past = useData((signal) => get('/history/user-operation', { taskId: id, sortBy: 'timestamp', sortOrder: 'desc', maxResults: 100 }, { signal }), [id],
    { kinds: ['task', 'history'] })
  return <Loaded from={past} empty="Nothing is recorded.">{(all) => (
    <ul class="said">{all.map((each) => <li key={each.id}><strong>{each.userId ?? 'The process'}</strong> {DONE[each.operationType] ?? each.operationType}
      {each.operationType !== 'Claim' && each.property && each.newValue ? ` (${each.property}: ${each.newValue})` : ''} <Time at={each.timestamp} /></li>)}</ul>
  )}</Loaded>
}

function Drawing({ task }) {
  const model = useData((signal) => get(`/process-definition/${task.processDefinitionId}/xml`, {}, { signal }), [task.processDefinitionId], { once: true })
  const badges = new Map([[task.taskDefinitionKey, [{ tone: 'run', shape: '●', count: 1, title: 'This task' }]]])
  return <Loaded from={model}>{({ bpmn20Xml }) => (
    <div class="drawing"><DiagramView xml={bpmn20Xml} badges={badges} chosen={task.taskDefinitionKey} label="Where the process is" /></div>
  )}</Loaded>
}

function Whole({ task, me, from, reload }) {
  const mine = task.assignee === me.name
  const pending = task.delegationState === 'PENDING'
  const submit = async (variables) => {
    const here = location.hash
    const path = variables ? 'submit-form' : pending ? 'resolve' : 'complete'
    await post(`/task/${task.id}/${path}`, { variables: variables ?? {} })
    say(pending ? `“${task.name}” is handed back to ${task.owner}.` : `“${task.name ?? task.taskDefinitionKey}” is done.`)
    goFrom(here, [from])
  }
  return (
    <>
      <h1>{task.name ?? task.taskDefinitionKey}</h1>
      {task.description && <p class="message">{task.description}</p>}
      <Facts task={task} />
      <Actions task={task} me={me} reload={reload} />
      <FormOf path={`/task/${task.id}`} names={TASK_FORM} verb={pending ? 'Hand it back' : 'Done'} readOnly={!mine || task.suspended} submit={submit} />
      <Opened title="Comments">{() => <Comments id={task.id} />}</Opened>
      <Opened title="Files">{() => <Files id={task.id} />}</Opened>
      <Opened title="What was done">{() => <Past id={task.id} />}</Opened>
      {task.processDefinitionId && <Opened title="Where the process is">{() => <Drawing task={task} />}</Opened>}
    </>
  )
}

function Gone({ from }) {
  return <p role="alert" class="empty">This task is not here for you: it is done, or somebody else has it. <a class="in-text" href={link([from])}>Back to the list</a></p>
}

export function Task({ id, me, from }) {
  const task = useData((signal) => get(`/task/${id}`, {}, { signal }), [id], { kinds: ['task'] })
  return (
    <section class="page one">
      <p><a href={link([from])}>‹ Back to the list</a></p>
      {task.error?.status === 404 ? <Gone from={from} /> : <Loaded from={task}>{(data) => <Whole task={data} me={me} from={from} reload={task.reload} />}</Loaded>}
    </section>
  )
}
