// Where the page is: the hash holds a path and a query, so that every view has a link and Back works.
import { useEffect, useState } from 'preact/hooks'

// An address that somebody has mistyped is shown as it is: its page says that there is no such thing.
function decoded(step) {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** '#/instances/17?element=pay' -> { path: ['instances', '17'], query: URLSearchParams } */
export function parse(hash) {
  const [path, query] = hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) }
}

/** The link to a path of steps, with what is set of the query. */
export function link(steps, query = {}) {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '' && value !== false) params.set(name, value)
  }
  const text = params.toString()
  return `#/${steps.map((step) => encodeURIComponent(step)).join('/')}${text ? `?${text}` : ''}`
}

export function go(steps, query) {
  location.hash = link(steps, query)
}

/** Goes on behind work that began at the hash `here`: who has gone elsewhere meanwhile stays there. */
export function goFrom(here, steps, query) {
  if (location.hash === here) go(steps, query)
}

/** Changes some of the query where the page is. `replace`: Back does not lead through it (a slider, a search while typing). */
export function refine(changes, { replace = false } = {}) {
  const { path, query } = parse(location.hash)
  const target = link(path, { ...Object.fromEntries(query), ...changes })
  if (!replace) location.hash = target
  else {
    history.replaceState(null, '', target)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

export function useRoute() {
  const [route, setRoute] = useState(() => parse(location.hash))
  useEffect(() => {
    const moved = () => setRoute(parse(location.hash))
    addEventListener('hashchange', moved)
    return () => removeEventListener('hashchange', moved)
  }, [])
  return route
}
