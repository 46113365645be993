// Who uses the page. A server without users asks nothing; one with users gets a name and a password and gives a cookie.
import { useEffect, useState } from 'preact/hooks'
import { del, get, onLoggedOut, post, showToken } from './api.js'
import { ActionDialog } from '../parts/dialog.jsx'

function Login({ onDone }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  return (
    <ActionDialog title="Log in" verb="Log in" onClose={onDone} disabled={!name} action={() => post('/orrery/session', { username: name, password })}>
      <label>Name<input value={name} autocomplete="username" autofocus onInput={(event) => setName(event.target.value)} /></label>
      <label>Password<input type="password" value={password} autocomplete="current-password"
        onInput={(event) => setPassword(event.target.value)} /></label>
    </ActionDialog>
  )
}

/** { user, roles, known, asked, dialog }: `asked` while nothing can be shown before somebody logs in. */
export function useSession() {
  const [session, setSession] = useState({ known: false })
  const [asked, setAsked] = useState(false)
  const load = async () => {
    try {
      const session = await get('/orrery/session')
      showToken(session.xsrfToken)
      setSession({ known: true, ...session })
      setAsked(false)
    } catch (error) {
      if (error.status !== 401) setSession({ known: true }) // the pages say what is wrong
    }
  }
  useEffect(() => {
    const stop = onLoggedOut(() => setAsked(true))
    load()
    return stop
  }, [])
  return { ...session, asked, reload: load, dialog: asked ? <Login onDone={load} /> : null }
}

export function Account({ session }) {
  if (!session.user) return null
  const leave = async () => {
    await del('/orrery/session')
    location.reload()
  }
  return <span class="account">{session.user} <button type="button" onClick={leave}>Log out</button></span>
}
