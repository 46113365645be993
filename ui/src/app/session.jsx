// Who uses the page. A server without users asks nothing; one with users gets a name and a password and gives a cookie.
import { useEffect, useState } from 'preact/hooks'
import { del, get, onLoggedOut, post, showToken } from './api.js'
import { changed } from './live.js'
import { ActionDialog } from '../parts/dialog.jsx'
import { attempt } from '../parts/notice.jsx'

function Login({ onDone, onLeave }) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  return (
    <ActionDialog title="Log in" verb="Log in" leave="Not now" onClose={onLeave} onDone={onDone} disabled={!name}
      action={() => post('/orrery/session', { username: name, password })}>
      <label>Name<input value={name} autocomplete="username" autofocus onInput={(event) => setName(event.target.value)} /></label>
      <label>Password<input type="password" value={password} autocomplete="current-password"
        onInput={(event) => setPassword(event.target.value)} /></label>
    </ActionDialog>
  )
}

function LoggedOut({ onLogin }) {
  return <p class="offline" role="alert">Nobody is logged in. <button type="button" class="primary" onClick={onLogin}>Log in…</button></p>
}

let roles = null // of whom the page knows; null: not yet, or the server does not say
/** Whether this user has a role: what he may not do is not offered. */
export const may = (role) => roles === null || roles.includes(role)

/**
 * { user, roles, known, asked, dialog }: `asked` while the server wants to know who this is. What was shown before that stays,
 * and what is being written in it, too: a session may end meanwhile.
 */
export function useSession() {
  const [session, setSession] = useState({ known: false })
  const [asked, setAsked] = useState(false)
  const [left, setLeft] = useState(false)
  const load = async () => {
    try {
      const session = await get('/orrery/session')
      showToken(session.xsrfToken)
      roles = session.roles ?? null
      setSession({ known: true, ...session })
      setAsked(false)
      setLeft(false)
      changed({ all: true })
    } catch (error) {
      if (error.status !== 401) setSession({ known: true }) // the pages say what is wrong
    }
  }
  useEffect(() => {
    const stop = onLoggedOut(() => setAsked(true))
    load()
    return stop
  }, [])
  const dialog = left ? <LoggedOut onLogin={() => setLeft(false)} /> : <Login onDone={load} onLeave={() => setLeft(true)} />
  return { ...session, asked, reload: load, dialog: asked ? dialog : null }
}

export function Account({ session }) {
  if (!session.user) return null
  const leave = async () => {
    const { ok } = await attempt(() => del('/orrery/session'))
    if (ok) location.reload()
  }
  return <span class="account">{session.user} <button type="button" onClick={leave}>Log out</button></span>
}
