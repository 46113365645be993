// Variables: how a value is shown, and edited in place with its type kept.
import { useState } from 'preact/hooks'
import { address } from '../app/api.js'
import { textExactly } from '../app/exact.js'
import { Copy, Fold } from './format.jsx'

export const TYPES = ['String', 'Integer', 'Long', 'Short', 'Double', 'Boolean', 'Date', 'Json', 'Xml', 'Null']
const LARGE = 64 * 1024 // longer ones are fetched only when they are asked for
const WHOLE = { Short: [-32768n, 32767n], Integer: [-2147483648n, 2147483647n], Long: [-(2n ** 63n), 2n ** 63n - 1n] }

/** What the user wrote as a value of a type, or an error that says what would be right. */
export function read(text, type) {
  switch (type) {
    case 'Null': return null
    case 'Boolean':
      if (!['true', 'false'].includes(text.trim())) throw new Error('A Boolean is true or false.')
      return text.trim() === 'true'
    case 'Short': case 'Integer': case 'Long': {
      if (!/^\s*-?\d+\s*$/.test(text)) throw new Error(`${type} is a whole number, such as 42.`)
      const [least, most] = WHOLE[type]
      const number = BigInt(text)
      if (number < least || number > most) throw new Error(`${type} goes from ${least} to ${most}.`)
      return Number.isSafeInteger(Number(text)) ? Number(text) : number.toString() // the server reads the digits of a Long
    }
    case 'Double':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw new Error('A Double is a number, such as 1.5.')
      return Number(text)
    case 'Json':
      try {
        JSON.parse(text)
      } catch (error) {
        throw new Error(`This is no JSON: ${error.message}`)
      }
      return text
    default: return text
  }
}

export function shown(variable) {
  const { value } = variable
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? textExactly(value, 2) : String(value)
}

const same = (a, b) => a.type === b.type && shown(a) === shown(b)

/** `data`: where the bytes of a file or of a large value are. */
export function Value({ variable, data }) {
  const { type, value, valueInfo } = variable
  if (type === 'File' || type === 'Bytes') {
    return <a href={address(data)} download={valueInfo?.filename ?? variable.name}>{valueInfo?.filename ?? 'bytes'}</a>
  }
  if (value === null || value === undefined) return <span class="quiet">null</span>
  const text = shown(variable)
  if (text.length > LARGE) return <a href={address(data)} download={variable.name}>{Math.round(text.length / 1024)} KB</a>
  return <Copy text={text}><code class={typeof value === 'string' ? 'text' : 'other'}><Fold text={text} most={120} /></code></Copy>
}

function Changed({ variable, take }) {
  return <p class="failure" role="alert">It has changed meanwhile: now it is <code>{shown(variable) || 'null'}</code>.
    {' '}<button type="button" onClick={take}>Edit that</button></p>
}

/**
 * Edits one variable; `save(value, type)` answers a promise. `variable` may change meanwhile, which is told; `now()` answers
 * what it is when it is saved. Whoever was told and saves nevertheless means it.
 */
export function ValueEditor({ variable, save, cancel, now, fixedType }) {
  const [type, setType] = useState(variable.type ?? 'String')
  const [text, setText] = useState(shown(variable))
  const [known, setKnown] = useState(variable) // as the user knows it
  const [latest, setLatest] = useState(null) // asked for beside `variable`
  const [error, setError] = useState(null)
  const current = latest?.seen === variable ? latest.value : variable
  const changed = !same(current, known)
  const take = () => {
    setType(current.type)
    setText(shown(current))
    setKnown(current)
  }
  const isStill = async () => {
    const found = changed || !now ? current : await now()
    setLatest({ value: found, seen: variable })
    return changed || same(found, known)
  }
  const submit = async (event) => {
    event.preventDefault()
    try {
      const value = read(text, type)
      if (await isStill()) await save(value, type)
    } catch (failure) {
      setError(failure)
    }
  }
  const long = text.length > 60 || text.includes('\n') || ['Json', 'Xml', 'Object'].includes(type)
  const keys = (event) => {
    if (event.key === 'Escape') cancel()
    if (event.key === 'Enter' && (!long || event.ctrlKey || event.metaKey)) submit(event)
  }
  return (
    <form class="value-editor" onSubmit={submit}>
      <select aria-label="Type" value={type} disabled={fixedType} onChange={(event) => setType(event.target.value)}>
        {[...new Set([...TYPES, type])].map((each) => <option key={each}>{each}</option>)}
      </select>
      {long ? <textarea aria-label="Value" rows={6} value={text} autofocus onInput={(event) => setText(event.target.value)} onKeyDown={keys} />
        : <input aria-label="Value" value={text} autofocus disabled={type === 'Null'} onInput={(event) => setText(event.target.value)} onKeyDown={keys} />}
      <button type="submit" class="primary">{changed ? 'Save nevertheless' : 'Save'}</button>
      <button type="button" onClick={cancel}>Cancel</button>
      {changed && <Changed variable={current} take={take} />}
      {error && <p class="failure" role="alert">{error.message}</p>}
    </form>
  )
}

/** Fields for a set of variables to be given: rows of name, type, value. `onChange(map or null while something is wrong)`. */
export function VariableFields({ fields, onChange }) {
  const change = (i, part) => onChange(fields.map((field, at) => (at === i ? { ...field, ...part } : field)))
  return (
    <fieldset class="fields">
      <legend>Variables</legend>
      {fields.map((field, i) => (
        <div key={i} class="field">
          <input aria-label={`Name of variable ${i + 1}`} placeholder="name" value={field.name} readOnly={field.fixed}
            onInput={(event) => change(i, { name: event.target.value })} />
          <select aria-label={`Type of variable ${i + 1}`} value={field.type} onChange={(event) => change(i, { type: event.target.value })}>
            {[...new Set([...TYPES, field.type])].map((each) => <option key={each}>{each}</option>)}
          </select>
          <input aria-label={`Value of variable ${i + 1}`} placeholder="value" value={field.text}
            onInput={(event) => change(i, { text: event.target.value })} />
          {!field.fixed && <button type="button" class="icon" aria-label={`Remove variable ${i + 1}`}
            onClick={() => onChange(fields.filter((_, at) => at !== i))}>✕</button>}
        </div>
      ))}
      <button type="button" onClick={() => onChange([...fields, { name: '', type: 'String', text: '' }])}>Add a variable</button>
    </fieldset>
  )
}

/** The fields as REST takes them. Throws what is wrong with one, by its name. */
export function variablesOf(fields) {
  const variables = {}
  for (const { name, type, text } of fields) {
    if (!name) continue
    try {
      variables[name] = { type, value: read(text, type) }
    } catch (error) {
      throw new Error(`${name}: ${error.message}`)
    }
  }
  return variables
}
