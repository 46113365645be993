// Processes that one may start, and the form that a start asks for.
import { get, post } from '../app/api.js'
import { go, link } from '../app/route.js'
import { useData } from '../app/use.js'
import { Loaded, say } from '../parts/notice.jsx'
import { FormOf, START_FORM } from './form.jsx'

const LIST = { latestVersion: true, active: true, startableInTasklist: true, startablePermissionCheck: true, sortBy: 'name', sortOrder: 'asc', maxResults: 500 }

export function Starts() {
  const list = useData((signal) => get('/process-definition', LIST, { signal }), [])
  return (
    <section class="page">
      <h1>Start a process</h1>
      <Loaded from={list} empty="There is no process that you may start.">{(all) => (
        <ul class="cards">{all.map((each) => (
          <li key={each.id}><a href={link(['start', each.id])}><strong>{each.name ?? each.key}</strong>
            {each.description && <span class="about quiet">{each.description}</span>}</a></li>
        ))}</ul>
      )}</Loaded>
    </section>
  )
}

export function Start({ name: id }) {
  const path = `/process-definition/${encodeURIComponent(id)}`
  const definition = useData((signal) => get(path, {}, { signal }), [id], { once: true })
  const submit = (of) => async (variables) => {
    await post(`${path}/${variables ? 'submit-form' : 'start'}`, { variables: variables ?? {} })
    say(`“${of.name ?? of.key}” has started.`)
    go(['mine'])
  }
  return (
    <section class="page one">
      <p><a href={link(['start'])}>‹ Back to the list</a></p>
      <Loaded from={definition}>{(of) => (
        <>
          <h1>{of.name ?? of.key}</h1>
          {of.description && <p class="message">{of.description}</p>}
          <FormOf path={path} names={START_FORM} verb="Start" submit={submit(of)} />
        </>
      )}</Loaded>
    </section>
  )
}
