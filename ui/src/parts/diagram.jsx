// A diagram as a component. Its viewer is loaded when the first one is shown; where a model cannot be drawn, its elements are listed.
import { useEffect, useRef, useState } from 'preact/hooks'
import { elementNames } from '../diagram/model.js'

function List({ xml, badges, chosen, onChoose, reason }) {
  let names
  try {
    names = [...elementNames(xml)].filter(([, { type }]) => /Task|Event|Gateway|Activity|subProcess|process/.test(type))
  } catch (error) {
    return <p class="failure" role="alert">{error.message}</p>
  }
  return (
    <div class="undrawn">
      <p class="quiet">This model cannot be drawn ({reason}); these are its elements.</p>
      <ul>
        {names.map(([id, { name, type }]) => (
          <li key={id}>
            <button type="button" class={chosen === id ? 'chosen' : ''} onClick={() => onChoose?.(id)}>{name} <small>{type}</small></button>
            {(badges?.get(id) ?? []).map((each) => <span key={each.tone} class={`badge ${each.tone}`} title={each.title}>{each.shape}{each.count}</span>)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** `badges`: id -> list; `marks`: { taken, chosen, target, … } of ids; `heat`: id -> 0..1; `onChoose(id or null)`. */
export function DiagramView({ xml, badges, marks, heat, chosen, onChoose, label = 'Diagram', children }) {
  const box = useRef(null)
  const diagram = useRef(null)
  const choose = useRef(onChoose)
  choose.current = onChoose
  const [state, setState] = useState({ ready: false, error: null })

  useEffect(() => {
    import('../diagram/viewer.js').catch(() => {}) // while the model is on its way; who needs it below says what went wrong
  }, [])

  useEffect(() => {
    if (!xml) return undefined
    let gone = false
    setState({ ready: false, error: null })
    ;(async () => {
      try {
        const { Diagram } = await import('../diagram/viewer.js')
        if (gone) return
        diagram.current = new Diagram(box.current, (id) => choose.current?.(id))
        await diagram.current.show(xml)
        if (!gone) setState({ ready: true, error: null })
      } catch (error) {
        if (!gone) setState({ ready: false, error })
      }
    })()
    return () => {
      gone = true
      diagram.current?.destroy()
      diagram.current = null
    }
  }, [xml])

  useEffect(() => {
    if (state.ready) diagram.current?.badges(badges ?? new Map())
  }, [state.ready, badges])
  useEffect(() => {
    if (state.ready) diagram.current?.marks({ ...marks, chosen: chosen ? [chosen] : [] }, heat)
  }, [state.ready, marks, heat, chosen])
  useEffect(() => {
    if (state.ready && chosen) diagram.current?.reveal(chosen)
  }, [state.ready, chosen])

  if (state.error) return <List xml={xml} badges={badges} chosen={chosen} onChoose={onChoose} reason={state.error.message} />
  return (
    <div class="diagram">
      <div class="canvas" ref={box} role="group" aria-label={label} aria-busy={!state.ready} />
      <div class="tools">
        <button type="button" class="icon" aria-label="Fit the diagram" title="Fit" onClick={() => diagram.current?.fit()}>⤢</button>
        {badges?.size > 0 && <button type="button" class="icon" aria-label="Go to the next token" title="Next token" onClick={() => diagram.current?.nextToken()}>◎</button>}
        <button type="button" class="icon" aria-label="Zoom in" title="Zoom in" onClick={() => diagram.current?.zoom(1.25)}>+</button>
        <button type="button" class="icon" aria-label="Zoom out" title="Zoom out" onClick={() => diagram.current?.zoom(0.8)}>−</button>
      </div>
      {children}
    </div>
  )
}
