// A component whose file is fetched when it is first shown, so that the first page does not pay for it.
import { useEffect, useState } from 'preact/hooks'
import { Failure } from './notice.jsx'

/** `load` imports the file, `name` is what it exports. */
export function lazy(load, name) {
  let there = null
  return function Lazy(props) {
    const [state, setState] = useState({ component: there, error: null })
    useEffect(() => {
      let gone = false
      if (!there) load().then((module) => {
        there = module[name]
        if (!gone) setState({ component: there, error: null })
      }, () => gone || setState({ component: null, error: new Error('A part of this page could not be loaded. Load the page again.') }))
      return () => { gone = true }
    }, [])
    const Component = state.component
    if (Component) return <Component {...props} />
    return state.error ? <Failure error={state.error} /> : <p class="quiet" aria-busy="true">Loading…</p>
  }
}
