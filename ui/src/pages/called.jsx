// Who called an instance, and which ones it called.
import { get } from '../app/api.js'
import { link } from '../app/route.js'
import { useData } from '../app/use.js'
import { InstanceList } from './instances.jsx'

const DEPTH_MAX = 20

/** From the outermost caller down to the one that called this instance. */
async function callersOf(instance, signal) {
  const callers = []
  for (let id = instance.superProcessInstanceId; id && callers.length < DEPTH_MAX;) {
    const caller = await get(`/history/process-instance/${id}`, {}, { signal })
    callers.unshift(caller)
    id = caller.superProcessInstanceId
  }
  return callers
}

export function Callers({ instance }) {
  const callers = useData((signal) => callersOf(instance, signal), [instance.id])
  if (!instance.superProcessInstanceId || !callers.data) return null
  return (
    <nav class="crumbs" aria-label="Called by">
      {callers.data.map((each) => (
        <span key={each.id}><a href={link(['instances', each.id], { panel: 'called' })}>
          {each.processDefinitionName ?? each.processDefinitionKey} {each.businessKey ?? each.id}</a> <span aria-hidden="true">›</span> </span>))}
      <span aria-current="page">{instance.processDefinitionName ?? instance.processDefinitionKey} {instance.businessKey ?? instance.id}</span>
    </nav>
  )
}

export function CalledPanel({ instance, query }) {
  return <InstanceList filter={{ superProcessInstanceId: instance.id }} query={query} start="all" head={<h2 class="hidden">Called instances</h2>} />
}
