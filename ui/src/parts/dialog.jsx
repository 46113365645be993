// A modal dialog of the browser's own: it keeps the focus, and Escape closes it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Failure } from './notice.jsx'

export function Dialog({ title, onClose, wide, children }) {
  const element = useRef(null)
  useEffect(() => {
    element.current.showModal()
  }, [])
  return (
    <dialog ref={element} class={wide ? 'wide' : ''} onClose={onClose} aria-label={title}>
      <header><h2>{title}</h2><button type="button" class="icon" aria-label="Close" onClick={() => element.current.close()}>✕</button></header>
      {children}
    </dialog>
  )
}

/**
 * A dialog that does something: its button is named as what it does, the other as what stays as it is (`leave`), and an error
 * stays in it. `onDone` is called when it went well, `onClose` when it was left; one of them may serve for both.
 */
export function ActionDialog({ title, action, verb, leave = 'Cancel', danger, disabled, wide, onClose, onDone = onClose, children }) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState(null)
  const submit = async (event) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await action()
      onDone()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} onClose={onClose} wide={wide}>
      <form onSubmit={submit}>
        {children}
        <Failure error={error} />
        <footer>
          <button type="button" onClick={onClose}>{leave}</button>
          <button type="submit" class={danger ? 'danger' : 'primary'} disabled={busy || disabled}>{busy ? 'Working…' : verb}</button>
        </footer>
      </form>
    </Dialog>
  )
}
