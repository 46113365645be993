// How times, spans, numbers and texts are shown. All times are the viewer's; the full instant is said on hover.
import { useEffect, useState } from 'preact/hooks'
import { attempt } from './notice.jsx'

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
const MINUTE = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })
const WHOLE = new Intl.NumberFormat()

/** The server's form of an instant, 2026-01-01T00:00:00.000+0000, as a Date. */
export function instant(text) {
  return text ? new Date(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')) : null
}

/** The day and the clock; seconds only where steps are told apart (`precise`). */
export function timeText(date, precise = false, now = new Date()) {
  const clock = (precise ? CLOCK : MINUTE).format(date)
  return `${(date.getFullYear() === now.getFullYear() ? DAY : YEAR).format(date)}, ${clock}`
}

export function Time({ at, none = '–', precise }) {
  const date = instant(at)
  if (!date || Number.isNaN(date.getTime())) return <span class="quiet">{none}</span>
  return <time dateTime={date.toISOString()} title={`${date.toISOString()} (${relative(date)})`}>{timeText(date, precise)}</time>
}

function relative(date) {
  const ms = date.getTime() - Date.now()
  return ms < 0 ? `${spanText(-ms)} ago` : `in ${spanText(ms)}`
}

const SECOND_MS = 1000

/** How long ago something was, which goes on while it is looked at: `seconds` when it was asked for. */
export function Ago({ seconds }) {
  const [since, setSince] = useState({ seconds, at: performance.now() })
  const [, again] = useState(0)
  if (since.seconds !== seconds) setSince({ seconds, at: performance.now() })
  useEffect(() => {
    const timer = setInterval(() => again((n) => n + 1), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return <>{Math.round(seconds + (performance.now() - since.at) / SECOND_MS)} s ago</>
}

const UNITS = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']]

/** Milliseconds as the two largest units that matter: "2 d 4 h", "1.2 s", "35 ms". */
export function spanText(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s`
  const at = UNITS.findIndex(([size]) => ms >= size)
  const [size, unit] = UNITS[at]
  const [next, nextUnit] = UNITS[at + 1]
  const rest = Math.floor((ms % size) / next)
  return `${Math.floor(ms / size)} ${unit}${rest ? ` ${rest} ${nextUnit}` : ''}`
}

export function Span({ ms }) {
  return ms === null || ms === undefined ? <span class="quiet">–</span> : <data value={ms} title={`${WHOLE.format(ms)} ms`}>{spanText(ms)}</data>
}

export function Num({ n, none = '–' }) {
  return n === null || n === undefined ? <span class="quiet">{none}</span> : <data class="number" value={n}>{WHOLE.format(n)}</data>
}

export function many(n, one, more = `${one}s`) {
  return `${WHOLE.format(n)} ${n === 1 ? one : more}`
}

/** The clipboard is there on HTTPS and on this machine only; elsewhere what is selected is copied. */
async function toClipboard(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden'
  const focused = document.activeElement
  ;(document.querySelector('dialog[open]') ?? document.body).append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  focused?.focus()
  if (!copied) throw new Error('This browser does not let the page copy.')
}

/** A text that is copied by a click beside it. */
export function Copy({ text, children, label = 'Copy' }) {
  const [done, setDone] = useState(false)
  const copy = async (event) => {
    event.preventDefault()
    event.stopPropagation()
    const { ok } = await attempt(() => toClipboard(text))
    setDone(ok)
    setTimeout(() => setDone(false), 1200)
  }
  return (
    <span class="copy">
      {children ?? text}
      <button type="button" class="icon" onClick={copy} aria-label={`${label} ${text}`} title={label}>{done ? '✓' : <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true"><path
        d="M5 1h9v10h-3v4H2V5h3zm1 1v8h7V2zM3 6v8h7v-3H5V6z" fill="currentColor" /></svg>}</button>
    </span>
  )
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/

/** What the server says in words, with the instants in it as the viewer's times. */
export function Said({ text = '' }) {
  return <>{text.split(INSTANT).map((part, i) => (i % 2 ? <Time key={i} at={part} /> : part))}</>
}

/** The first line of a long text; the rest opens. `said`: the server's own words. */
export function Fold({ text, most = 160, said }) {
  if (!text) return null
  const first = text.split('\n', 1)[0]
  const shown = (part) => (said ? <Said text={part} /> : part)
  if (first === text && text.length <= most) return <span class="message">{shown(text)}</span>
  return (
    <details class="fold">
      <summary><span class="message">{shown(first.length > most ? `${first.slice(0, most)}…` : first)}</span></summary>
      <pre tabIndex={0}>{shown(text)}</pre>
    </details>
  )
}
