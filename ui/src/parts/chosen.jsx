// Instances that were chosen in a list, as a page of its own takes them: what it does to them has a link.
import { post } from '../app/api.js'
import { link } from '../app/route.js'
import { useData } from '../app/use.js'
import { Dialog } from './dialog.jsx'
import { many } from './format.jsx'
import { Loaded } from './notice.jsx'

const MOST = 20000

/** The part of an address that says which: ids, or a list's own query. */
const toQuery = ({ ids, query }) => (ids ? { ids: ids.join() } : { of: JSON.stringify(query) })

function read(text) {
  try {
    return JSON.parse(text)
  } catch { /* an address that was cut off names none */
    return { processInstanceIds: ['0'] }
  }
}

/** The query of those that an address names, of one definition alone; without a choice, all of it. */
export function chosenOf(query, processDefinitionId) {
  const ids = query.get('ids')
  const of = query.get('of')
  return { ...(ids ? { processInstanceIds: ids.split(',') } : of ? read(of) : {}), processDefinitionId, unfinished: true }
}

async function byDefinition({ ids, query }, signal) {
  const rows = await post('/history/process-instance', { ...(ids ? { processInstanceIds: ids } : query), unfinished: true }, { params: { maxResults: MOST }, signal })
  const groups = new Map()
  for (const { processDefinitionId: id, processDefinitionName: name, processDefinitionKey: key, processDefinitionVersion: version } of rows) {
    const group = groups.get(id) ?? { id, title: `${name ?? key} ${version}`, n: 0 }
    group.n += 1
    groups.set(id, group)
  }
  return { groups: [...groups.values()], cut: rows.length === MOST }
}

/** A plan is for one version: this says of which versions the chosen instances are. */
export function PlanFor({ ids, query, onClose }) {
  const found = useData((signal) => byDefinition({ ids, query }, signal), [], { once: true })
  const params = toQuery({ ids, query })
  return (
    <Dialog title="Migrate, or move tokens" onClose={onClose}>
      <div class="plan">
        <p class="quiet">A plan is for one version. What it will do is shown before it runs.</p>
        <Loaded from={found}>{({ groups, cut }) => (
          <>
            {groups.length === 0 && <p>None of them runs any more.</p>}
            {groups.map((group) => (
              <p key={group.id}><strong>{group.title}</strong>, {many(group.n, 'instance')}:{' '}
                <a class="button" href={link(['migrate', group.id, group.id], params)}>Migrate…</a>{' '}
                <a class="button" href={link(['moves', group.id], params)}>Move tokens…</a></p>
            ))}
            {cut && <p class="quiet">Of the first {MOST.toLocaleString()}.</p>}
          </>
        )}</Loaded>
      </div>
    </Dialog>
  )
}
