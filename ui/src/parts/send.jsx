// Sending what a token waits for: a message or a signal, to that token alone or to whoever waits for it.
import { useState } from 'preact/hooks'
import { get, post } from '../app/api.js'
import { useData } from '../app/use.js'
import { ActionDialog } from './dialog.jsx'
import { many } from './format.jsx'
import { say } from './notice.jsx'
import { VariableFields, variablesOf } from './values.jsx'

const of = (event) => ({ eventType: event.kind, eventName: event.name })

/** A start event waits in no token: a message for it starts an instance. */
function send(event, everyone, variables, key) {
  if (event.kind === 'signal') return post('/signal', { name: event.name, executionId: everyone ? undefined : event.executionId, variables })
  if (everyone) return post('/message', { messageName: event.name, businessKey: key || undefined, all: Boolean(event.executionId), processVariables: variables })
  return post(`/execution/${event.executionId}/messageSubscriptions/${encodeURIComponent(event.name)}/trigger`, { variables })
}

function Whom({ event, everyone, setEveryone, waiting }) {
  if (!event.executionId) return null
  const others = waiting === undefined ? '' : `: ${many(waiting, 'subscription')}`
  return (
    <label>To
      <select value={everyone ? 'all' : 'one'} onChange={(change) => setEveryone(change.target.value === 'all')}>
        <option value="one">this token alone</option>
        <option value="all">all that wait for it{others}</option>
      </select>
    </label>
  )
}

/** `event`: { kind, name, executionId } of a subscription; without an execution it is a start event's. */
export function Send({ event, onClose, done }) {
  const [everyone, setEveryone] = useState(!event.executionId)
  const [key, setKey] = useState('')
  const [fields, setFields] = useState([])
  const waiting = useData(async (signal) => (await get('/event-subscription/count', of(event), { signal })).count, [event.name], { once: true })
  const act = async () => {
    await send(event, everyone, variablesOf(fields), key)
    say(`The ${event.kind} “${event.name}” is sent.`)
    done?.()
  }
  return (
    <ActionDialog title={`Send the ${event.kind} “${event.name}”`} verb={`Send the ${event.kind}`} action={act} onClose={onClose}>
      <Whom event={event} everyone={everyone} setEveryone={setEveryone} waiting={waiting.data} />
      {event.kind === 'message' && everyone && <label>Business key
        <input value={key} placeholder={event.executionId ? 'any' : 'of the new instance'} onInput={(change) => setKey(change.target.value)} /></label>}
      <VariableFields fields={fields} onChange={setFields} />
    </ActionDialog>
  )
}
