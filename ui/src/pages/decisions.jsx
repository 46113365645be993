// Decisions: their tables, what was decided, and the rules that fired.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get } from '../app/api.js'
import { go, link, refine } from '../app/route.js'
import { useData, useList } from '../app/use.js'
import { Num, Time } from '../parts/format.jsx'
import { Failure, Loaded } from '../parts/notice.jsx'
import { Split } from '../parts/split.jsx'
import { Rows, Table } from '../parts/table.jsx'

export function Decisions({ query }) {
  const decisions = useData((signal) => get('/decision-definition', { sortBy: 'key', sortOrder: 'asc' }, { signal }), [], { kinds: ['definition'] })
  const words = (query.get('find') ?? '').toLowerCase()
  const latest = (rows) => {
    const byKey = new Map()
    for (const row of rows) if ((byKey.get(row.key)?.version ?? 0) < row.version) byKey.set(row.key, row)
    return [...byKey.values()].filter(({ key, name }) => !words || `${key} ${name ?? ''}`.toLowerCase().includes(words))
  }
  return (
    <section class="page">
      <header class="head"><h1>Decisions</h1><input type="search" aria-label="Filter decisions" placeholder="Filter" value={query.get('find') ?? ''}
        onInput={(event) => refine({ find: event.target.value }, { replace: true })} /></header>
      <Loaded from={decisions}>{(rows) => (
        <Rows name="Decisions" rows={latest(rows)} empty="None is deployed." columns={[
          { head: 'Name', cell: (row) => <a href={link(['decisions', row.key, row.version])}>{row.name ?? row.key}</a> },
          { head: 'Key', cell: (row) => <code>{row.key}</code> },
          { head: 'Version', num: true, cell: (row) => <Num n={row.version} /> },
          { head: 'Part of', cell: (row) => row.decisionRequirementsDefinitionKey ?? <span class="quiet">–</span> }
        ]} />
      )}</Loaded>
    </section>
  )
}

/** The table of one decision of a DMN file; `fired` are ids of the rules to be marked. */
function DecisionTable({ xml, id, fired }) {
  const box = useRef(null)
  const [error, setError] = useState(null)
  useEffect(() => {
    let gone = false
    let viewer = null
    setError(null)
    ;(async () => {
      const { showDecision } = await import('../diagram/decision.js')
      if (gone) return
      try {
        viewer = await showDecision(box.current, xml, id)
        if (gone) viewer.destroy()
      } catch (failure) {
        setError(failure)
      }
    })()
    return () => {
      gone = true
      viewer?.destroy()
    }
  }, [xml, id])
  useEffect(() => {
    const mark = () => {
      for (const row of box.current?.querySelectorAll('[data-row-id]') ?? []) row.parentElement.classList.toggle('fired', fired.has(row.dataset.rowId))
    }
    mark()
    const observer = new MutationObserver(mark) // the viewer draws later than it answers
    if (box.current) observer.observe(box.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [fired, xml, id])
  return <>{error && <p class="failure" role="alert">{error.message}</p>}<div class="decision" ref={box} /></>
}

function Made({ decision, chosen }) {
  const list = useList((first, most) => get('/history/decision-instance', { decisionDefinitionId: decision.id, sortBy: 'evaluationTime', sortOrder: 'desc', firstResult: first, maxResults: most }),
    async () => (await get('/history/decision-instance/count', { decisionDefinitionId: decision.id })).count, [decision.id], { kinds: ['history', 'decision', 'instance'] })
  return <Table name="What was decided" list={list} empty="Nothing yet, or the history does not keep it." current={(row) => row.id === chosen} columns={[
    { head: 'When', cell: (row) => <button type="button" class="link" onClick={() => refine({ made: row.id })}><Time at={row.evaluationTime} /></button> },
    { head: 'Instance', cell: (row) => (row.processInstanceId ? <a href={link(['instances', row.processInstanceId], { element: row.activityId })}>{row.processInstanceId}</a> : <span class="quiet">by hand</span>) },
    { head: 'Activity', cell: (row) => row.activityId ?? '–' }
  ]} />
}

function Inputs({ made }) {
  return (
    <dl class="facts">
      {made.inputs?.map((each) => <div key={each.id}><dt>{each.clauseName ?? each.clauseId}</dt><dd><code>{JSON.stringify(each.value)}</code></dd></div>)}
      {made.outputs?.map((each) => <div key={each.id}><dt>→ {each.clauseName ?? each.variableName ?? each.clauseId}</dt><dd><code>{JSON.stringify(each.value)}</code></dd></div>)}
    </dl>
  )
}

const NONE = new Set()

export function Decision({ name, version, query }) {
  const versions = useData((signal) => get('/decision-definition', { key: name, sortBy: 'version', sortOrder: 'desc' }, { signal }), [name], { kinds: ['definition'] })
  const decision = versions.data && (versions.data.find((each) => String(each.version) === version) ?? versions.data[0])
  const model = useData(async (signal) => decision && (await get(`/decision-definition/${decision.id}/xml`, {}, { signal })).dmnXml, [decision?.id])
  const chosen = query.get('made')
  const made = useData(async (signal) => chosen && get(`/history/decision-instance/${chosen}`, { includeInputs: true, includeOutputs: true }, { signal }), [chosen])
  if (!decision) return <section class="page"><h1>{name}</h1><Loaded from={versions}>{() => <p>No decision has this key.</p>}</Loaded></section>
  const fired = made.data ? new Set(made.data.outputs?.map((each) => each.ruleId)) : NONE
  return (
    <section class="page whole">
      <header class="head">
        <h1>{decision.name ?? decision.key}</h1>
        <label class="inline">Version<select value={decision.version} onChange={(event) => go(['decisions', name, event.target.value])}>
          {versions.data.map((each) => <option key={each.id} value={each.version}>{each.version}</option>)}</select></label>
        {made.data && <Inputs made={made.data} />}
      </header>
      <Failure error={made.error} />
      <Split name="table and decisions" start={62}>
        {model.data ? <DecisionTable xml={model.data} id={decision.key} fired={fired} /> : <Loaded from={model}>{() => null}</Loaded>}
        <Made decision={decision} chosen={chosen} />
      </Split>
    </section>
  )
}
