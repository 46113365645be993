// Moving a token: choose one, click its target in the diagram, see what will be done, do it.
import { useState } from 'preact/hooks'
import { post } from '../app/api.js'
import { refine } from '../app/route.js'
import { attempt } from '../parts/notice.jsx'

const TARGETS = /[Tt]ask$|Event$|Gateway$|[sS]ubProcess$|[cC]allActivity$|transaction$/

export function Move({ id, tokens, names, from, target }) {
  const [busy, setBusy] = useState(false)
  const movable = tokens.filter((token) => token.parent && token.leaf)
  const token = movable.find((each) => each.id === from) ?? (movable.length === 1 ? movable[0] : null)
  const name = (activityId) => names.get(activityId)?.name ?? activityId
  const fits = target && TARGETS.test(names.get(target)?.type ?? '')
  const leave = () => refine({ move: '', from: '', target: '' })
  const apply = async () => {
    setBusy(true)
    const cancel = token.transition ? { transitionInstanceId: token.id } : { activityInstanceId: token.id }
    const { ok } = await attempt(() => post(`/process-instance/${id}/modification`, { skipCustomListeners: false, skipIoMappings: false,
      instructions: [{ type: 'startBeforeActivity', activityId: target }, { type: 'cancel', ...cancel }] }),
    `The token is at ${name(target)}.`)
    setBusy(false)
    if (ok) leave()
  }
  return (
    <div class="move" role="group" aria-label="Move a token">
      <label>Token
        <select value={token?.id ?? ''} onChange={(event) => refine({ from: event.target.value })}>
          <option value="" disabled>choose one</option>
          {movable.map((each) => <option key={each.id} value={each.id}>{name(each.activityId)} ({each.id})</option>)}
        </select>
      </label>
      <label>To
        <select value={target ?? ''} onChange={(event) => refine({ target: event.target.value })}>
          <option value="">click it, or choose one</option>
          {[...names].filter(([, { type }]) => TARGETS.test(type)).map(([each, { name: title }]) => <option key={each} value={each}>{title}</option>)}
        </select>
      </label>
      {!token ? <p>Choose the token that is to go.</p>
        : !target ? null
          : !fits ? <p>A token cannot stand at {name(target)}: click a task, an event, a gateway or a sub-process.</p>
            : <ol><li>Start before <strong>{name(target)}</strong></li><li>Cancel the token at <strong>{name(token.activityId)}</strong></li></ol>}
      <button type="button" class="primary" disabled={!token || !fits || busy} onClick={apply}>Apply</button>
      <button type="button" onClick={leave}>Leave it</button>
    </div>
  )
}
