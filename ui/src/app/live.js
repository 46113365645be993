// What the server says has changed. It names kinds ("any": it does not know) and instances only; who shows them fetches them again. One connection for the page.
import { useEffect, useState } from 'preact/hooks'
import { address } from './api.js'

const listeners = new Set()
const watchers = new Set()
let source = null
let scope = null
let last = null // the event that was heard last, in whatever scope: what came after it is asked for
let connected = true
let begun = false // hearing: what was fetched before may be older than the first event that would have told of it

function tell(change) {
  for (const listener of listeners) listener(change)
}

function show(now) {
  if (connected === now) return
  connected = now
  for (const watcher of watchers) watcher(now)
  if (now) tell({ all: true }) // what happened meanwhile is not known
}

function open() {
  source?.close()
  source = new EventSource(address('/orrery/events', { scope, last }))
  const hear = (kind, listener) => source.addEventListener(kind, (event) => {
    last = event.lastEventId
    listener?.(event)
  })
  source.addEventListener('open', () => show(true))
  hear('hello', () => {
    if (!begun) tell({ all: true })
    begun = true
  })
  hear('change', (event) => tell(JSON.parse(event.data)))
  hear('reset', () => tell({ all: true }))
  source.addEventListener('error', () => {
    show(false)
    // The browser connects again by itself, except where the server refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(open, 3000)
  })
}

/** Follows everything ("all") or one instance ("instance:ID"). */
export function follow(wanted) {
  if (wanted === scope) return
  scope = wanted
  open()
}

/** Calls `listener` with { kinds, ids } or { all: true }. */
export function onChange(listener) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnected() {
  const [now, set] = useState(connected)
  useEffect(() => {
    watchers.add(set)
    return () => watchers.delete(set)
  }, [])
  return now
}
