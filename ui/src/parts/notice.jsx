// What went wrong, what is empty, what was done.
import { useEffect, useState } from 'preact/hooks'

export function Failure({ error, retry }) {
  if (!error) return null
  return (
    <p class="failure" role="alert">
      <span aria-hidden="true">▲ </span>{error.message}
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </p>
  )
}

export function Empty({ children }) {
  return <p class="empty">{children}</p>
}

/** What a list or a panel shows of { data, error, loading }: its content, or why there is none. */
export function Loaded({ from, children, empty }) {
  if (from.data === undefined) return from.error ? <Failure error={from.error} retry={from.reload} /> : <p class="quiet" aria-busy="true">Loading…</p>
  return (
    <>
      <Failure error={from.error} retry={from.reload} />
      {empty && from.data.length === 0 ? <Empty>{empty}</Empty> : children(from.data)}
    </>
  )
}

const SHOWN_MS = 6000
const shown = new Set()

/** Says at the foot of the page what was done, or could not be. */
export function say(message, tone = 'done') {
  for (const listener of shown) listener({ message, tone })
}

/** Runs an action of the user and says how it ended: `done` is its sentence, or makes it of the result. */
export async function attempt(action, done) {
  try {
    const result = await action()
    if (done) say(typeof done === 'function' ? done(result) : done)
    return { ok: true, result }
  } catch (error) {
    say(error.message, 'bad')
    return { ok: false, error }
  }
}

export function Notices() {
  const [notices, setNotices] = useState([])
  useEffect(() => {
    let next = 0
    const add = (notice) => {
      const id = next++
      setNotices((old) => [...old.slice(-3), { ...notice, id }])
      setTimeout(() => setNotices((old) => old.filter((each) => each.id !== id)), SHOWN_MS)
    }
    shown.add(add)
    return () => shown.delete(add)
  }, [])
  return (
    <div class="notices" role="status">
      {notices.map(({ id, message, tone }) => <p key={id} class={tone}>{message}</p>)}
    </div>
  )
}
