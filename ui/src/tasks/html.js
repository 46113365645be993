// Forms in HTML, which come with a deployment or are made of a model's fields. Nothing of them is taken over as it is: a new
// form is made of the elements and attributes that stand here. Scripts, styles, handlers, links and pictures are none of them.
import { read } from '../parts/values.jsx'

const ELEMENTS = new Set(['div', 'span', 'p', 'b', 'i', 'strong', 'em', 'small', 'br', 'hr', 'ul', 'ol', 'li', 'dl', 'dt', 'dd', 'table', 'thead', 'tbody',
  'tr', 'th', 'td', 'fieldset', 'legend', 'label', 'input', 'select', 'option', 'optgroup', 'textarea', 'h2', 'h3', 'h4', 'h5', 'h6'])
const ATTRIBUTES = new Set(['for', 'id', 'name', 'type', 'value', 'placeholder', 'required', 'readonly', 'disabled', 'checked', 'selected', 'multiple',
  'min', 'max', 'step', 'minlength', 'maxlength', 'pattern', 'rows', 'cols', 'colspan', 'rowspan', 'cam-variable-name', 'cam-variable-type'])
const INPUTS = new Set(['text', 'number', 'checkbox', 'radio', 'date', 'datetime-local', 'time', 'email', 'tel', 'url', 'range', 'hidden'])
const NAMED = '[cam-variable-name]'
const NAMES_FIELD = /field "([^"]+)"/
const OWN = 'form-' // before each id, so that none is one of the page's
const DROPPED = new Set(['script', 'style', 'template', 'iframe', 'object', 'embed', 'svg', 'math', 'head', 'title', 'noscript'])

function copyAttributes(from, to) {
  for (const { name, value } of from.attributes) {
    if (!ATTRIBUTES.has(name)) continue
    to.setAttribute(name, name === 'id' || name === 'for' ? OWN + value : value)
  }
  if (from.localName === 'input' && !INPUTS.has((from.getAttribute('type') ?? 'text').toLowerCase())) to.setAttribute('type', 'text')
}

/** An unknown element is left out, and what is in it is kept. */
function copyInto(target, from) {
  for (const node of from.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) target.append(node.data)
    if (node.nodeType !== Node.ELEMENT_NODE || DROPPED.has(node.localName)) continue
    if (!ELEMENTS.has(node.localName)) {
      copyInto(target, node)
      continue
    }
    const copy = document.createElement(node.localName)
    copyAttributes(node, copy)
    copyInto(copy, node)
    target.append(copy)
  }
}

/** A choice that nobody has made is none: the first value is not taken by itself. */
function withoutChoice(select) {
  if (select.multiple || select.querySelector('option[selected], option[value=""]')) return
  select.prepend(new Option('', '', true, true))
}

/** Writes a form's HTML, made safe, into an element. */
export function showHtml(element, html) {
  const parsed = new DOMParser().parseFromString(html, 'text/html') // runs nothing, loads nothing
  element.replaceChildren()
  copyInto(element, parsed.body)
  for (const select of element.querySelectorAll('select')) withoutChoice(select)
}

/** Shows the variables that the form's fields are of. */
export function fill(element, variables) {
  for (const field of element.querySelectorAll(NAMED)) {
    const value = variables[field.getAttribute('cam-variable-name')]?.value
    if (value === undefined || value === null) continue
    if (field.type === 'checkbox') field.checked = value === true
    else if (field.type === 'radio') field.checked = field.value === String(value)
    else field.value = String(value)
  }
}

function valueOf(field, type) {
  if (field.type === 'checkbox') return field.checked
  if (field.value === '' && type !== 'String') return null
  return read(field.value, type)
}

/** What was entered, as variables. Throws what is wrong with a field, which it names. */
export function entered(element) {
  const variables = {}
  for (const field of element.querySelectorAll(NAMED)) {
    const name = field.getAttribute('cam-variable-name')
    const type = field.type === 'checkbox' ? 'Boolean' : field.getAttribute('cam-variable-type') ?? 'String'
    if (field.disabled || (field.type === 'radio' && !field.checked)) continue
    try {
      variables[name] = { type, value: valueOf(field, type) }
    } catch (error) {
      throw new Error(`field "${name}": ${error.message}`)
    }
  }
  return variables
}

const fieldOf = (element, message) => {
  const name = message?.match(NAMES_FIELD)?.[1]
  return name ? element.querySelector(`[cam-variable-name="${CSS.escape(name)}"]`) : null
}

/** What the server says of a field, with the label that people see instead of its id. */
export function withLabel(element, message) {
  const label = fieldOf(element, message)?.labels?.[0]?.textContent.trim()
  return label ? message.replace(NAMES_FIELD, label) : message
}

/** Marks the field that an error names, and goes to it. */
export function blame(element, message, described) {
  for (const field of element.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid')
    field.removeAttribute('aria-describedby')
  }
  const field = fieldOf(element, message)
  if (!field) return
  field.setAttribute('aria-invalid', 'true')
  field.setAttribute('aria-describedby', described)
  field.focus()
}

export function disable(element, disabled) {
  for (const field of element.querySelectorAll('input, select, textarea')) {
    if (disabled) field.disabled = true
  }
}
