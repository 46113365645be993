// Tokens of many instances moved by one plan: several moves, what each does, and which instances it is for, before it runs.
import { useMemo, useState } from 'preact/hooks'
import { count, get, post } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { processElements } from '../diagram/model.js'
import { Bulk, foundInstances, SkipListeners } from '../parts/bulk.jsx'
import { chosenOf } from '../parts/chosen.jsx'
import { DiagramView } from '../parts/diagram.jsx'
import { many } from '../parts/format.jsx'
import { Loaded } from '../parts/notice.jsx'
import { Split } from '../parts/split.jsx'
import { useModel } from './definition.jsx'

const HISTORY = '/history/process-instance'
const NODES = /[Tt]ask$|Event$|Gateway$|[sS]ubProcess$|[cC]allActivity$|transaction$/
const STARTS = { before: 'startBeforeActivity', after: 'startAfterActivity' }

/** The moves of an address, "pay>before:ship,check>": from where, to where; either may be left out. */
export function movesOf(text) {
  return (text ?? '').split(',').filter(Boolean).map((part) => {
    const [from, to] = part.split('>')
    const [where, activity] = to ? to.split(':') : []
    return { from: from || null, where: activity ? where : null, to: activity ?? null }
  })
}

const textOf = (moves) => moves.map(({ from, where, to }) => `${from ?? ''}>${to ? `${where}:${to}` : ''}`).join()

/** What the engine is told: all starts come first, so that no instance ends in between. */
function instructionsOf(moves) {
  const starts = moves.filter((move) => move.to).map(({ where, to }) => ({ type: STARTS[where], activityId: to }))
  const cancels = [...new Set(moves.map((move) => move.from).filter(Boolean))].map((activityId) => ({ type: 'cancel', activityId }))
  return [...starts, ...cancels]
}

/** A plan is for the chosen instances that have a token wherever it takes one away. */
function frozen(chosen, moves) {
  const froms = [...new Set(moves.map((move) => move.from).filter(Boolean))]
  return async (signal) => {
    if (froms.length === 0) return foundInstances(chosen, signal)
    const lists = await Promise.all(froms.map((from) => foundInstances({ ...chosen, activityIdIn: [from] }, signal)))
    const sets = lists.map(({ ids }) => new Set(ids))
    const ids = lists[0].ids.filter((id) => sets.every((set) => set.has(id)))
    const labels = new Map(lists[0].labels)
    return { ids, total: ids.length, sample: ids.slice(0, 5).map((id) => labels.get(id) ?? id), cut: Math.max(...lists.map(({ cut }) => cut)) }
  }
}

function Adding({ nodes, from, to, add }) {
  const [where, setWhere] = useState('before')
  const options = nodes.map(([id, { name }]) => <option key={id} value={id}>{name}</option>)
  return (
    <div class="field">
      <label>Take away the tokens at
        <select value={from ?? ''} onChange={(event) => refine({ from: event.target.value })}><option value="">– nowhere –</option>{options}</select></label>
      <label>Start
        <select aria-label="Before or behind" value={where} onChange={(event) => setWhere(event.target.value)}><option value="before">before</option><option value="after">behind</option></select></label>
      <label>which element
        <select value={to ?? ''} onChange={(event) => refine({ to: event.target.value })}><option value="">– none –</option>{options}</select></label>
      <button type="button" disabled={!from && !to} onClick={() => add({ from, to, where: to ? where : null })}>Add to the plan</button>
    </div>
  )
}

function Move({ move, nameOf }) {
  return (
    <>
      {move.from && <>take away all tokens at <strong>{nameOf(move.from)}</strong></>}
      {move.from && move.to && ', and '}
      {move.to && <>start {move.where === 'after' ? 'behind' : 'before'} <strong>{nameOf(move.to)}</strong></>}
    </>
  )
}

function Plan({ moves, nameOf, change }) {
  if (moves.length === 0) return <p class="quiet">The plan is empty. Click where tokens are to be taken away, then where they go; add it; add more.</p>
  return (
    <ol class="moves">
      {moves.map((move, i) => (
        <li key={i}><Move move={move} nameOf={nameOf} />{' '}
          {change && <button type="button" class="icon" aria-label={`Leave out move ${i + 1}`} onClick={() => change(moves.filter((_, at) => at !== i))}>✕</button>}</li>
      ))}
    </ol>
  )
}

function Run({ definition, chosen, moves, nameOf, all, onClose }) {
  const [quiet, setQuiet] = useState(false)
  const run = (processInstanceIds) => post('/modification/executeAsync', { processDefinitionId: definition.id, processInstanceIds,
    instructions: instructionsOf(moves), skipCustomListeners: quiet, skipIoMappings: false })
  return (
    <Bulk title={`Move tokens of ${definition.name ?? definition.key} ${definition.version}`} verb="Move the tokens" noun="instance" freeze={frozen(chosen, moves)}
      run={run} onClose={onClose}>
      <Plan moves={moves} nameOf={nameOf} />
      {moves.some((move) => move.from) && <p class="quiet">Of {many(all ?? 0, 'chosen instance')}, those that have a token wherever the plan takes one away.</p>}
      <SkipListeners checked={quiet} set={setQuiet} />
    </Bulk>
  )
}

export function Moves({ id, query }) {
  const [open, setOpen] = useState(false)
  const definition = useData((signal) => get(`/process-definition/${id}`, {}, { signal }), [id])
  const model = useModel(id)
  const chosen = chosenOf(query, id)
  const all = useData(() => count(HISTORY, chosen), [JSON.stringify(chosen)], { kinds: ['instance'], slow: true })
  const standing = useData((signal) => get(`/process-definition/${id}/statistics`, {}, { signal }), [id], { kinds: ['instance', 'activity'], slow: true })
  const names = useMemo(() => (model.data && definition.data ? processElements(model.data, definition.data.key) : new Map()), [model.data, definition.data])
  const badges = useMemo(() => new Map((standing.data ?? []).filter((row) => row.instances)
    .map((row) => [row.id, [{ tone: 'run', shape: '', count: row.instances, title: many(row.instances, 'running instance') }]])), [standing.data])
  const moves = movesOf(query.get('plan'))
  const [from, to] = [query.get('from'), query.get('to')]
  const nodes = [...names].filter(([, { type }]) => NODES.test(type))
  const nameOf = (activity) => names.get(activity)?.name ?? activity
  const change = (next) => refine({ plan: textOf(next), from: '', to: '' })
  const choose = (activity) => activity && NODES.test(names.get(activity)?.type ?? '') && refine(from ? { to: activity } : { from: activity })
  if (!definition.data) return <section class="page"><h1>Move tokens</h1><Loaded from={definition}>{() => null}</Loaded></section>
  const { key, version, name } = definition.data
  return (
    <section class="page whole">
      <header class="head">
        <h1>Move tokens of {name ?? key} {version}</h1>
        <span class="quiet">{all.data === undefined ? '' : `${many(all.data, 'instance')} chosen`}</span>
        <span class="actions">
          <a class="button" href={link(['definitions', key, version])}>Back</a>
          {may('operate') && <button type="button" class="primary" disabled={moves.length === 0} onClick={() => setOpen(true)}>Review the plan…</button>}
        </span>
      </header>
      <Split name="drawing and plan" down start={60}>
        <DiagramView xml={model.data} badges={badges} chosen={from ?? undefined} marks={{ target: to ? [to] : [] }} onChoose={choose} label={`Version ${version}`} />
        <div class="list">
          <Adding nodes={nodes} from={from} to={to} add={(move) => change([...moves, move])} />
          <Plan moves={moves} nameOf={nameOf} change={change} />
        </div>
      </Split>
      {open && <Run definition={definition.data} chosen={chosen} moves={moves} nameOf={nameOf} all={all.data} onClose={() => setOpen(false)} />}
    </section>
  )
}
