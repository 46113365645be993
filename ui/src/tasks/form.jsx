// The form of a task or a start, of whichever kind it is, and the button that submits it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, text } from '../app/api.js'
import { useData } from '../app/use.js'
import { Failure, Loaded } from '../parts/notice.jsx'
import { blame, disable, entered, fill, showHtml, withLabel } from './html.js'

const ERROR = 'form-error'

/** Where the forms of a task or a definition are. */
export const TASK_FORM = { form: 'form', deployed: 'deployed-form' }
export const START_FORM = { form: 'startForm', deployed: 'deployed-start-form' }

/** { kind, html or schema or key, variables } of the form below `path`. */
async function load(path, names, signal) {
  const [{ key, camundaFormRef }, variables] = await Promise.all([
    get(`${path}/${names.form}`, {}, { signal }), get(`${path}/form-variables`, { deserializeValues: false }, { signal })])
  if (camundaFormRef || key?.startsWith('camunda-forms:')) {
    return { kind: 'camunda', schema: JSON.parse(await text(`${path}/${names.deployed}`, {}, { signal })), variables }
  }
  if (key?.startsWith('embedded:engine:')) return { kind: 'html', html: await text(`${path}/rendered-form`, {}, { signal }), variables: {} }
  if (key?.startsWith('embedded:deployment:')) return { kind: 'html', html: await text(`${path}/${names.deployed}`, {}, { signal }), variables }
  return { kind: 'none', key, variables }
}

/** An element that holds a form which is no part of Preact's tree. `show` fills it, and answers what can be done with it. */
function useShown(show) {
  const box = useRef(null)
  const shown = useRef(null)
  const [error, setError] = useState(null)
  useEffect(() => {
    let gone = false
    Promise.resolve(show(box.current)).then((made) => {
      if (gone) made?.destroy?.()
      else shown.current = made
    }, (failure) => gone || setError(failure))
    return () => {
      gone = true
      shown.current?.destroy?.()
    }
  }, [])
  return { box, shown, error }
}

function Html({ form, readOnly, api }) {
  const { box, error } = useShown((element) => {
    showHtml(element, form.html)
    fill(element, form.variables)
    disable(element, readOnly)
    api.current = { read: () => entered(element), blame: (message) => blame(element, message, ERROR), said: (message) => withLabel(element, message) }
  })
  return <><div class="html-form" ref={box} /><Failure error={error} /></>
}

function Camunda({ form, readOnly, api, onSubmit }) {
  const [submits, setSubmits] = useState(true)
  const latest = useRef(onSubmit)
  latest.current = onSubmit
  const { box, error } = useShown(async (element) => {
    const { showCamunda } = await import('./camunda.js')
    const shown = await showCamunda(element, form.schema, form.variables, { readOnly, onSubmit: (variables) => latest.current(variables) })
    setSubmits(shown.submits)
    api.current = { submit: shown.submit }
    return shown
  })
  return (
    <>
      <div class="camunda-form" ref={box} />
      <Failure error={error} />
      {!submits && !readOnly && <button type="button" class="primary" onClick={() => api.current.submit()}>Submit</button>}
    </>
  )
}

function Refused({ error, said = (message) => message }) {
  if (!error) return null
  return <p class="failure" role="alert" id={ERROR}><span aria-hidden="true">▲ </span>{said(error.message.replace(/^Cannot [^:]*: /, ''))}</p>
}

function Shown({ form, verb, readOnly, submit }) {
  const api = useRef({})
  const [error, setError] = useState(null)
  const [busy, setBusy] = useState(false)
  const send = async (variables) => {
    setBusy(true)
    setError(null)
    try {
      await submit(form.kind === 'none' ? null : variables)
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  useEffect(() => api.current.blame?.(error?.message), [error])
  const asked = (event) => {
    event.preventDefault()
    try {
      send(api.current.read?.() ?? {})
    } catch (wrong) {
      setError(wrong)
    }
  }
  if (form.kind === 'camunda') {
    return <div class="form"><Camunda form={form} readOnly={readOnly || busy} api={api} onSubmit={send} /><Refused error={error} /></div>
  }
  return (
    <form class="form" onSubmit={asked}>
      {form.kind === 'html' && <Html form={form} readOnly={readOnly} api={api} />}
      {form.key && form.kind === 'none' && <p class="quiet">Another program shows its form: <code>{form.key}</code></p>}
      <Refused error={error} said={api.current.said} />
      {!readOnly && <button type="submit" class="primary" disabled={busy}>{busy ? 'Working…' : verb}</button>}
    </form>
  )
}

/** `path`: of a task or a definition; `submit(variables)`, with null where there is no form, answers a promise. */
export function FormOf({ path, names, verb, readOnly, submit }) {
  const form = useData((signal) => load(path, names, signal), [path], { once: true })
  return <Loaded from={form}>{(data) => <Shown key={`${readOnly}`} form={data} verb={verb} readOnly={readOnly} submit={submit} />}</Loaded>
}
