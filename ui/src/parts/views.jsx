// Views that a user has named. A view is an address, which says its name too, so that it can be given to others; names are kept in this browser.
import { useState } from 'preact/hooks'
import { link, parse } from '../app/route.js'
import { ActionDialog } from './dialog.jsx'
import { Copy } from './format.jsx'
import { say } from './notice.jsx'

const STORE = 'orrery.views'

function kept() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '[]')
  } catch { /* storage may be forbidden, or hold something else */
    return []
  }
}

/** Each name stands once in a room. */
function keep(room, name, hash) {
  const others = kept().filter((view) => view.room !== room || view.name !== name)
  try {
    localStorage.setItem(STORE, JSON.stringify(hash ? [...others, { room, name, hash }] : others))
  } catch {
    throw new Error('This browser keeps nothing for this page. The link in the address bar holds the view as well.')
  }
}

function hashOf(name) {
  const { path, query } = parse(location.hash)
  return link(path, { ...Object.fromEntries(query), view: name })
}

function Save({ room, name: old, onClose }) {
  const [name, setName] = useState(old ?? '')
  const save = () => {
    const hash = hashOf(name.trim())
    keep(room, name.trim(), hash)
    location.hash = hash
    say(`The view “${name.trim()}” is kept in this browser.`)
  }
  return (
    <ActionDialog title="Save this view" verb="Save the view" action={save} disabled={!name.trim()} onClose={onClose}>
      <label>Name<input value={name} autofocus onInput={(event) => setName(event.target.value)} /></label>
      <p class="quiet">Its filters and its order stand in the link, under which others see it, too.</p>
    </ActionDialog>
  )
}

/** Views of a room: one is chosen, saved, forgotten, its link copied. */
export function Views({ room, query }) {
  const [saving, setSaving] = useState(false)
  const [, changed] = useState(0)
  const views = kept().filter((view) => view.room === room)
  const name = query.get('view')
  const mine = views.find((view) => view.name === name)
  const forget = () => {
    keep(room, name, null)
    changed((n) => n + 1)
  }
  return (
    <span class="actions">
      {name && <Copy text={`${location.href.split('#')[0]}${hashOf(name)}`} label="Copy the link of">
        <strong>{name}{mine && mine.hash !== location.hash ? ' (changed)' : ''}</strong></Copy>}
      {views.length > 0 && (
        <select aria-label="Saved views" value={mine ? name : ''} onChange={(event) => {
          location.hash = views.find((view) => view.name === event.target.value)?.hash ?? link([room])
        }}>
          <option value="">saved views</option>
          {views.map((view) => <option key={view.name} value={view.name}>{view.name}</option>)}
        </select>
      )}
      <button type="button" onClick={() => setSaving(true)}>Save view…</button>
      {mine && <button type="button" onClick={forget}>Forget it</button>}
      {saving && <Save room={room} name={name} onClose={() => setSaving(false)} />}
    </span>
  )
}
