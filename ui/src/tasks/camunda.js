// A Camunda Form, shown by its own viewer: loaded when the first one is shown, with its style.
import { Form } from '@bpmn-io/form-js-viewer'

const SENT = { string: 'String', boolean: 'Boolean', number: 'Double' }

function style() {
  if (document.querySelector(`link[href="${FORM_STYLE}"]`)) return
  const sheet = document.createElement('link')
  sheet.rel = 'stylesheet'
  sheet.href = FORM_STYLE
  document.head.append(sheet)
}

function variable(value) {
  if (value === null || value === undefined) return { type: 'Null', value: null }
  if (Number.isInteger(value)) return { type: 'Long', value }
  const type = SENT[typeof value]
  return type ? { type, value } : { type: 'Json', value: JSON.stringify(value) }
}

/** Does it bring a button of its own that submits it? */
const submits = ({ components = [] }) => components.some(({ type, action = 'submit' }) => type === 'button' && action === 'submit')

function given({ type, value }) {
  if (type !== 'Json' || typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Shows a form in an element. `onSubmit(variables)` is called when it is submitted without a fault. { submit, submits, destroy } */
export async function showCamunda(element, schema, variables, { onSubmit, readOnly }) {
  style()
  const form = new Form({ container: element })
  await form.importSchema(schema, Object.fromEntries(Object.entries(variables).map(([name, each]) => [name, given(each)])))
  form.setProperty('readOnly', readOnly)
  form.on('submit', ({ data, errors }) => {
    if (Object.keys(errors).length > 0) element.querySelector('.fjs-has-errors input, .fjs-has-errors textarea, .fjs-has-errors select')?.focus()
    else onSubmit(Object.fromEntries(Object.entries(data).map(([name, value]) => [name, variable(value)])))
  })
  return { submit: () => form.submit(), submits: submits(schema), destroy: () => form.destroy() }
}
