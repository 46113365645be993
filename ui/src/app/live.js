// What the server says has changed. It names kinds ("any": it does not know) and instances only; who shows them fetches them again.
// All tabs share one connection, where the browser has shared workers; one that is hidden needs none.
import { useEffect, useState } from 'preact/hooks'
import { address } from './api.js'
import { Stream } from './stream.js'

const SAYS_MS = 10000 // how often a tab says that it is still there

const listeners = new Set()
const watchers = new Set()
let connected = true
let begun = false // hearing: what was fetched before may be older than the first event that would have told of it
let following = false

/** Tells those who show something of a change. */
export function changed(change) {
  for (const listener of listeners) listener(change)
}

function show(now) {
  if (connected === now) return
  connected = now
  for (const watcher of watchers) watcher(now)
  if (now) changed({ all: true }) // what happened meanwhile is not known
}

function heard({ connected: now, change, last }) {
  if (now !== undefined) show(now)
  if (last === undefined) return
  if (!begun || change) changed(begun ? change : { all: true })
  begun = true
  document.documentElement.dataset.heard = last
}

const isSeen = () => document.visibilityState === 'visible'

function shareOne(events) {
  const { port } = new SharedWorker(EVENTS_WORKER, { name: new URL(events, location).href })
  port.onmessage = ({ data }) => heard(data)
  const say = () => port.postMessage({ seen: isSeen() })
  document.addEventListener('visibilitychange', say)
  addEventListener('pageshow', say)
  addEventListener('pagehide', () => port.postMessage({ bye: true }))
  setInterval(() => isSeen() && say(), SAYS_MS)
  say()
}

function haveOne(events) {
  const stream = new Stream(events, heard)
  const look = () => (isSeen() ? stream.open() : stream.close())
  document.addEventListener('visibilitychange', look)
  look()
}

/** Begins to listen; once somebody is known to the server. */
export function follow() {
  if (following) return
  following = true
  const events = address('/orrery/events', { scope: 'all' })
  if (typeof SharedWorker === 'undefined') haveOne(events)
  else shareOne(events)
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
