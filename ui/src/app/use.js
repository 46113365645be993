// Data of the server in a component: shown until newer data is there, so that nothing flickers.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { renew } from './held.js'
import { onChange } from './live.js'

const SETTLE_MS = 120 // changes that come together are fetched together
const SLOW_MS = 1500 // between two loads of what costs the server much, however often something changes

function concerns(change, kinds, id) {
  if (change.all || change.kinds?.includes('any')) return true
  if (!kinds || !change.kinds?.some((kind) => kinds.includes(kind))) return false
  return !id || !change.ids || change.ids.includes(id)
}

/**
 * Calls `reload` when one of `kinds` changed (of instance `id`, if one is given): soon, but `pause` after the last time at the
 * earliest, and never before that has ended. A busy server is not asked faster than it answers.
 */
export function useChanges(kinds, reload, id, pause = 0) {
  const latest = useRef(reload)
  latest.current = reload
  const wanted = kinds?.join()
  useEffect(() => {
    let timer = null
    let running = false
    let changed = false
    let last = -Infinity
    const plan = () => {
      changed = true
      if (timer || running) return
      timer = setTimeout(run, Math.max(SETTLE_MS, last + pause - performance.now()))
    }
    const run = async () => {
      changed = false
      running = true
      await latest.current()
      running = false
      timer = null
      last = performance.now()
      if (changed && !gone) plan()
    }
    let gone = false
    const stop = onChange((change) => concerns(change, wanted?.split(','), id) && plan())
    return () => {
      gone = true
      stop()
      clearTimeout(timer)
    }
  }, [wanted, id, pause])
}

const nothing = () => {}

/**
 * { data, error, loading, reload } of load(signal). It loads again when `deps` change, and when the server tells of a change
 * of one of `kinds`, or is heard again after a while; `slow`: not more often than every second and a half; `once`: not when it
 * is there, for what a user goes on to edit or has to confirm as it was shown.
 */
export function useData(load, deps, { kinds, id, slow, once } = {}) {
  const [state, setState] = useState({ data: undefined, error: null, loading: true })
  const running = useRef(null)
  const latest = useRef(load)
  latest.current = load
  const reload = useCallback(async () => {
    running.current?.abort()
    const abort = (running.current = new AbortController())
    try {
      const data = await latest.current(abort.signal)
      if (!abort.signal.aborted) setState({ data, error: null, loading: false })
    } catch (error) {
      if (!abort.signal.aborted) setState((old) => ({ data: old.data, error, loading: false }))
    }
  }, [])
  useEffect(() => {
    setState((old) => ({ ...old, loading: true }))
    reload()
    return () => running.current?.abort()
  }, deps)
  useChanges(kinds, once && state.data !== undefined ? nothing : reload, id, slow ? SLOW_MS : 0)
  return { ...state, reload }
}

const PAGE = 100

/**
 * A list of any length, of which pages are fetched as they come into view: { count, row(i), need(from, to), error, reload }.
 * `fetch(first, most)` gives rows, `total()` their number, `same(ids)` those of these rows that are still in the list.
 * After `hold(true)` the rows stay where they are, and `waiting` says how many more there are now.
 */
export function useList(fetch, total, deps, { kinds, same } = {}) {
  const [state, setState] = useState({ count: undefined, error: null, version: 0, waiting: 0 })
  const pages = useRef(new Map())
  const asked = useRef(new Set())
  const seen = useRef([0, PAGE])
  const run = useRef(0)
  const functions = useRef({ fetch, total, same })
  functions.current = { fetch, total, same }
  const held = useRef(false)
  const stale = useRef(false) // while it was held it was not loaded again

  const need = useCallback(async (from, to) => {
    seen.current = [from, to]
    const now = run.current
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page++) {
      if (asked.current.has(page)) continue
      if (stale.current) return reload() // pages of two times do not fit together
      asked.current.add(page)
      try {
        const rows = await functions.current.fetch(page * PAGE, PAGE)
        if (now !== run.current) return
        pages.current.set(page, rows)
        setState((old) => ({ ...old, error: null, version: old.version + 1 }))
      } catch (error) {
        if (now === run.current) setState((old) => ({ ...old, error }))
      }
    }
  }, [])

  // Pages in view first; the old ones stay until the new ones are there.
  const reload = useCallback(async () => {
    const now = ++run.current
    asked.current = new Set()
    stale.current = false
    try {
      const count = await functions.current.total()
      if (now !== run.current) return
      setState((old) => ({ ...old, count, error: null, waiting: 0 }))
      const first = Math.floor(seen.current[0] / PAGE)
      for (const page of [...pages.current.keys()]) if (page < first - 1 || page > first + 2) pages.current.delete(page)
      await need(seen.current[0], Math.min(seen.current[1], Math.max(count, 1)))
    } catch (error) {
      if (now === run.current) setState((old) => ({ ...old, error }))
    }
  }, [])

  useEffect(() => {
    pages.current = new Map()
    seen.current = [0, PAGE]
    setState((old) => ({ count: undefined, error: null, version: old.version + 1, waiting: 0 }))
    reload()
  }, deps)

  const count = useRef()
  count.current = state.count
  const renewHeld = async () => {
    const now = run.current
    stale.current = true
    try {
      const grown = await functions.current.total() - (count.current ?? 0)
      const copy = new Map(pages.current)
      const waiting = await renew({ ...functions.current, pages: copy, size: PAGE, seen: seen.current, grown })
      if (now !== run.current) return
      pages.current = copy
      setState((old) => ({ ...old, error: null, waiting, version: old.version + 1 }))
    } catch (error) {
      if (now === run.current) setState((old) => ({ ...old, error }))
    }
  }
  useChanges(kinds, () => (held.current ? renewHeld() : reload()))
  const hold = useCallback((now) => {
    held.current = now
    if (!now && stale.current) reload()
  }, [])
  const row = (i) => pages.current.get(Math.floor(i / PAGE))?.[i % PAGE]
  const fetchRows = (first, most) => functions.current.fetch(first, most)
  return { count: state.count, waiting: state.waiting, error: state.error, row, need, reload, hold, fetch: fetchRows }
}
