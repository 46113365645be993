// From one version to another: both drawings, what maps to what, what the engine says of it, and how many instances go.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { count, get, post } from '../app/api.js'
import { go, goFrom, link } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { processElements } from '../diagram/model.js'
import { DiagramView } from '../parts/diagram.jsx'
import { many } from '../parts/format.jsx'
import { Empty, Failure, Loaded } from '../parts/notice.jsx'
import { Split } from '../parts/split.jsx'
import { useModel } from './definition.jsx'
import { Bulk, foundInstances } from '../parts/bulk.jsx'
import { chosenOf } from '../parts/chosen.jsx'

const ACTIVITY = /Task$|task$|Event$|[Ss]ubProcess|transaction|[cC]allActivity|Gateway$/

const one = (instruction) => ({ source: instruction.sourceActivityIds[0], target: instruction.targetActivityIds[0], update: instruction.updateEventTrigger })

function Mapping({ instructions, change, before, after, reports, chosen, onChoose }) {
  const targets = [...after].filter(([, { type }]) => ACTIVITY.test(type))
  const named = targets.map(([, { name }]) => name)
  const shared = new Set(named.filter((name, i) => named.indexOf(name) !== i)) // several elements have it
  const unmapped = [...before].filter(([id, { type }]) => ACTIVITY.test(type) && !instructions.some((each) => each.source === id))
  const set = (source, target) => change([...instructions.filter((each) => each.source !== source), ...(target ? [{ source, target, update: false }] : [])])
  return (
    <table class="mapping">
      <thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">What the engine says</th></tr></thead>
      <tbody>
        {[...instructions, ...unmapped.map(([source]) => ({ source, target: '' }))].map(({ source, target }) => (
          <tr key={source} class={source === chosen ? 'current' : ''}>
            <td><button type="button" class="link" onClick={() => onChoose(source)}>{before.get(source)?.name ?? source}</button></td>
            <td>
              <select aria-label={`Target of ${before.get(source)?.name ?? source}`} value={target} onChange={(event) => set(source, event.target.value)}>
                <option value="">– none –</option>
                {targets.map(([id, { name }]) => <option key={id} value={id}>{name}{shared.has(name) ? ` (${id})` : ''}</option>)}
              </select>
            </td>
            <td>{(reports.get(source) ?? []).map((text) => <p key={text} class="failure">{text}</p>)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** By a batch, or in one transaction where the server has no batches for it. */
async function migrate(request) {
  try {
    return await post('/migration/executeAsync', request)
  } catch (error) {
    if (error.status !== 501) throw error
    return post('/migration/execute', request)
  }
}

/** What the plan does, before it runs: activities that are another one after it, and those that have no place in it. */
function Summary({ instructions, before, after }) {
  const nameOf = (names, id) => names.get(id)?.name ?? id
  const changed = instructions.filter(({ source, target }) => source !== target)
  const left = [...before].filter(([id, { type }]) => /Task$|task$|[cC]allActivity$|[sS]ubProcess$|CatchEvent$/.test(type) && !instructions.some((each) => each.source === id))
  return (
    <>
      <p>{many(instructions.length - changed.length, 'activity keeps its', 'activities keep their')} place.</p>
      {changed.length > 0 && <ul>{changed.map(({ source, target }) => <li key={source}>Tokens at <strong>{nameOf(before, source)}</strong> go
        to <strong>{nameOf(after, target)}</strong></li>)}</ul>}
      {left.length > 0 && <p class="quiet">An instance with a token at {left.map(([, { name }]) => name).join(', ')} cannot go: nothing maps it.</p>}
    </>
  )
}

/** Any other version as the target. */
function Target({ source, goal, versions, query }) {
  return (
    <label class="inline">to version
      <select value={goal.id} onChange={(event) => go(['migrate', source.id, event.target.value], Object.fromEntries(query))}>
        {goal.id === source.id && <option value={source.id}>choose one</option>}
        {versions.filter((each) => each.id !== source.id).map((each) => <option key={each.id} value={each.id}>{each.version}</option>)}
      </select>
    </label>
  )
}

const versionsOf = (key, signal) => get('/process-definition', { key, sortBy: 'version', sortOrder: 'desc' }, { signal })

export function Migrate({ from, to, query }) {
  const definitions = useData(async (signal) => {
    const ends = await Promise.all([from, to].map((id) => get(`/process-definition/${id}`, {}, { signal })))
    return [...ends, await versionsOf(ends[0].key, signal)]
  }, [from, to])
  const asked = chosenOf(query, from)
  const before = useModel(from)
  const after = useModel(to)
  const [instructions, setInstructions] = useState(null)
  const [chosen, setChosen] = useState(null)
  const [open, setOpen] = useState(false)
  const generated = useData((signal) => (from === to ? { instructions: [] } : post('/migration/generate', { sourceProcessDefinitionId: from, targetProcessDefinitionId: to, updateEventTriggers: true }, { signal })), [from, to],
    { once: true })
  useEffect(() => {
    if (generated.data) setInstructions(generated.data.instructions.map(one))
  }, [generated.data])
  const plan = useMemo(() => instructions && {
    sourceProcessDefinitionId: from, targetProcessDefinitionId: to,
    instructions: instructions.map(({ source, target, update }) => ({ sourceActivityIds: [source], targetActivityIds: [target], updateEventTrigger: update }))
  }, [instructions, from, to])
  const report = useData(async (signal) => ({ plan, reports: plan && from !== to ? (await post('/migration/validate', plan, { signal })).instructionReports : [] }), [plan])
  const checked = plan && report.data?.plan === plan // what is shown of an earlier plan says nothing of this one
  const affected = useData(() => count('/history/process-instance', asked), [JSON.stringify(asked)], { kinds: ['instance'] })
  const reports = useMemo(() => new Map((report.data?.reports ?? []).map((each) => [each.instruction.sourceActivityIds[0], each.failures])), [report.data])
  const names = (model, key) => (model.data ? processElements(model.data, key) : new Map())
  const target = instructions?.find((each) => each.source === chosen)?.target
  if (!definitions.data) return <section class="page"><h1>Migrate</h1><Loaded from={definitions}>{() => null}</Loaded></section>
  const [source, goal, versions] = definitions.data
  return (
    <section class="page whole">
      <header class="head">
        <h1>Migrate {source.name ?? source.key} from {source.version}{goal.id === source.id ? '' : ` to ${goal.version}`}</h1>
        <Target source={source} goal={goal} versions={versions} query={query} />
        <span class="actions">
          <a class="button" href={link(['definitions', source.key, source.version])}>Back</a>
          {may('operate') && <button type="button" class="primary" disabled={!affected.data || !checked || reports.size > 0 || goal.id === source.id}
            onClick={() => setOpen(true)}>Migrate {affected.data === undefined ? '' : many(affected.data, 'instance')}…</button>}
        </span>
      </header>
      <Failure error={generated.error ?? report.error} />
      <Split name="drawings and mapping" down start={52}>
        <Split name="versions">
          <DiagramView xml={before.data} chosen={chosen} onChoose={setChosen} label={`Version ${source.version}`} />
          <DiagramView xml={after.data} chosen={target} label={`Version ${goal.version}`} />
        </Split>
        <div class="list">
          {instructions ? <Mapping instructions={instructions} change={setInstructions} before={names(before, source.key)} after={names(after, goal.key)} reports={reports} chosen={chosen} onChoose={setChosen} />
            : <Empty>Making a plan…</Empty>}
        </div>
      </Split>
      {open && <Bulk title={`Migrate to version ${goal.version}`} verb="Migrate" noun="instance" freeze={(signal) => foundInstances(asked, signal)}
        onClose={() => setOpen(false)} run={async (processInstanceIds) => {
          const here = location.hash
          const batch = await migrate({ migrationPlan: plan, processInstanceIds, skipCustomListeners: false, skipIoMappings: false })
          if (!batch?.id) goFrom(here, ['definitions', goal.key, goal.version])
          return batch
        }}><Summary instructions={instructions} before={names(before, source.key)} after={names(after, goal.key)} /></Bulk>}
    </section>
  )
}
