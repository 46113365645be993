// Deployments: what was deployed when; a new one is checked on its drawing before it goes in.
import { useMemo, useState } from 'preact/hooks'
import { address, del, get, upload } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { DiagramView } from '../parts/diagram.jsx'
import { Time } from '../parts/format.jsx'
import { attempt, Empty, Failure, Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

const BPMN = /\.bpmn(20\.xml)?$/

function formOf(files, name) {
  const form = new FormData()
  form.set('deployment-name', name)
  form.set('deployment-source', 'page')
  form.set('enable-duplicate-filtering', 'true')
  for (const file of files) form.append(file.name, file, file.name)
  return form
}

function Problems({ problems, chosen, onChoose }) {
  if (problems.length === 0) return <Empty>The check found nothing.</Empty>
  return (
    <ul class="problems">
      {problems.map((each, i) => (
        <li key={i} class={each.severity}>
          <State of={each.severity === 'error' ? 'failed' : 'waiting'} label={each.severity} />
          <button type="button" class="link" aria-pressed={chosen === each.element} onClick={() => onChoose(each)}>
            {each.resource}:{each.line}:{each.column}</button> {each.message}
        </li>
      ))}
    </ul>
  )
}

/** Files are chosen, checked by the server, looked at on the drawing, and deployed. */
function Upload({ reload }) {
  const [files, setFiles] = useState([])
  const [xml, setXml] = useState(null)
  const [name, setName] = useState('')
  const [problems, setProblems] = useState(null)
  const [chosen, setChosen] = useState(null)
  const [error, setError] = useState(null)
  const choose = async (list) => {
    const all = [...list]
    setFiles(all)
    setName(name || (all[0]?.name ?? ''))
    setError(null)
    setChosen(null)
    const model = all.find((file) => BPMN.test(file.name))
    setXml(model ? await model.text() : null)
    try {
      setProblems((await upload('/orrery/lint', formOf(all, 'check'))).problems)
    } catch (failure) {
      setProblems(null)
      setError(failure)
    }
  }
  const show = async (problem) => {
    const file = files.find((each) => each.name === problem.resource)
    if (file && BPMN.test(file.name)) setXml(await file.text())
    setChosen(problem.element ?? null)
  }
  const badges = useMemo(() => {
    const map = new Map()
    for (const each of problems ?? []) {
      if (each.element) map.set(each.element, [...(map.get(each.element) ?? []), { tone: each.severity === 'error' ? 'bad' : 'wait', shape: '!', count: 1, title: each.message }])
    }
    return map
  }, [problems])
  const bad = problems?.some((each) => each.severity === 'error')
  const deploy = () => attempt(() => upload('/deployment/create', formOf(files, name)), (done) => `Deployed as ${done.id}.`).then(({ ok }) => {
    if (!ok) return
    setFiles([])
    setXml(null)
    setProblems(null)
    setName('')
    reload()
  })
  return (
    <div class="upload">
      <p class="actions">
        <label class="button">Choose files…<input type="file" multiple class="hidden" onChange={(event) => choose(event.target.files)} /></label>
        {files.length > 0 && <label class="inline">Name<input value={name} onInput={(event) => setName(event.target.value)} /></label>}
        {files.length > 0 && <button type="button" class="primary" disabled={bad} onClick={deploy}>Deploy {files.length === 1 ? files[0].name : `${files.length} files`}</button>}
      </p>
      <Failure error={error} />
      {problems && <Problems problems={problems} chosen={chosen} onChoose={show} />}
      {xml && <div class="preview"><DiagramView xml={xml} badges={badges} chosen={chosen} onChoose={setChosen} label="The model that is to be deployed" /></div>}
    </div>
  )
}

function Resources({ deployment }) {
  const resources = useData((signal) => get(`/deployment/${deployment}/resources`, {}, { signal }), [deployment])
  return (
    <Loaded from={resources}>{(rows) => (
      <Rows name="Resources" rows={rows} empty="It has none." columns={[
        { head: 'Resource', cell: (row) => <a href={address(`/deployment/${deployment}/resources/${encodeURIComponent(row.id)}/data`)} download={row.name}>{row.name}</a> }
      ]} />
    )}</Loaded>
  )
}

export function Deployments({ chosen, query }) {
  const deployments = useData((signal) => get('/deployment', { sortBy: 'deploymentTime', sortOrder: 'desc', maxResults: 500 }, { signal }), [], { kinds: ['definition'] })
  const words = (query.get('find') ?? '').toLowerCase()
  const remove = (row) => {
    if (confirm(`Delete the deployment ${row.name ?? row.id} with its definitions? It is refused while instances run.`)) {
      attempt(() => del(`/deployment/${row.id}`), 'The deployment is deleted.').then(deployments.reload)
    }
  }
  return (
    <section class="page">
      <header class="head"><h1>Deployments</h1><input type="search" aria-label="Filter deployments" placeholder="Filter" value={query.get('find') ?? ''}
        onInput={(event) => refine({ find: event.target.value }, { replace: true })} /></header>
      {may('deploy') && <Upload reload={deployments.reload} />}
      <Loaded from={deployments}>{(rows) => (
        <Rows name="Deployments" rows={rows.filter((row) => !words || (row.name ?? '').toLowerCase().includes(words))} empty="None." current={(row) => row.id === chosen} columns={[
          { head: 'Name', cell: (row) => <a href={link(['deployments', row.id])}>{row.name ?? row.id}</a> },
          { head: 'Deployed', cell: (row) => <Time at={row.deploymentTime} /> },
          { head: 'Source', cell: (row) => row.source ?? '–' },
          { head: 'Tenant', cell: (row) => row.tenantId ?? '–' },
          { head: 'Id', cell: (row) => <code>{row.id}</code> },
          { head: 'Action', cell: (row) => may('deploy') && <button type="button" class="danger" onClick={() => remove(row)}>Delete…</button> }
        ]} />
      )}</Loaded>
      {chosen && <><h2>Files of {chosen}</h2><Resources deployment={chosen} /></>}
    </section>
  )
}
