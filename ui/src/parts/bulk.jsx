// Bulk actions: the ids are frozen when the dialog opens, counted and shown in part, and given to the server as they are. What
// becomes of them is a batch, which says how many went well, failed, or were skipped.
import { useState } from 'preact/hooks'
import { count, post } from '../app/api.js'
import { go } from '../app/route.js'
import { useData } from '../app/use.js'
import { many } from './format.jsx'
import { ActionDialog } from './dialog.jsx'
import { Loaded, say } from './notice.jsx'

const PAGE = 1000
const MOST = 50000
const SAMPLE = 5

/** The ids of all that a query finds, up to MOST. */
async function freeze(path, query, signal) {
  const ids = []
  const total = await count(path, query)
  while (ids.length < Math.min(total, MOST)) {
    const rows = await post(path, query, { params: { firstResult: ids.length, maxResults: PAGE }, signal })
    if (rows.length === 0) break
    for (const row of rows) ids.push(row.id)
  }
  return { ids, total }
}

function Sample({ frozen, noun }) {
  const { ids, total } = frozen
  return (
    <p>
      <strong>{many(ids.length, noun)}</strong>, as {ids.length === 1 ? 'it is' : 'they are'} now: <code>{ids.slice(0, SAMPLE).join(', ')}{ids.length > SAMPLE ? ', …' : ''}</code>
      {total > ids.length && <><br />There are {total.toLocaleString()}; a batch takes {MOST.toLocaleString()}. Repeat it for the rest.</>}
    </p>
  )
}

/** A dialog over the `ids` given, or those that a query finds. `run(ids)` answers a batch, or nothing when it is done at once. */
export function Bulk({ title, verb, danger, noun, path, query, ids, run, onClose, children }) {
  const frozen = useData(async (signal) => (ids ? { ids: [...ids], total: ids.length ?? ids.size } : freeze(path, query, signal)), [])
  const act = async () => {
    const batch = await run(frozen.data.ids)
    if (batch?.id) go(['batches', batch.id])
    else say(`${verb}: ${many(frozen.data.ids.length, noun)}.`)
  }
  return (
    <ActionDialog title={title} verb={verb} danger={danger} onClose={onClose} disabled={!frozen.data?.ids.length} action={act}>
      <Loaded from={frozen}>{(data) => (data.ids.length ? <Sample frozen={data} noun={noun} /> : <p>There is none any more.</p>)}</Loaded>
      {children}
    </ActionDialog>
  )
}

export function BulkRetry({ title, query, ids, onClose }) {
  const [retries, setRetries] = useState(1)
  return (
    <Bulk title={title} verb="Retry" noun="job" path="/job" query={query} ids={ids} onClose={onClose}
      run={(jobIds) => post('/job/retries', { jobIds, retries })}>
      <label>Attempts each may take<input type="number" min="1" max="100" value={retries}
        onInput={(event) => setRetries(Number(event.target.value))} /></label>
    </Bulk>
  )
}

export function BulkCancel({ query, ids, onClose }) {
  const [reason, setReason] = useState('')
  return (
    <Bulk title="Cancel instances" verb="Cancel them" danger noun="instance" path="/process-instance" query={query} ids={ids} onClose={onClose}
      run={(processInstanceIds) => post('/process-instance/delete', { processInstanceIds, deleteReason: reason || undefined })}>
      <label>Reason<input value={reason} placeholder="told to listeners and kept in the history" onInput={(event) => setReason(event.target.value)} /></label>
    </Bulk>
  )
}

export function BulkSuspend({ suspended, query, ids, onClose }) {
  return (
    <Bulk title={suspended ? 'Suspend instances' : 'Activate instances'} verb={suspended ? 'Suspend them' : 'Activate them'} noun="instance"
      path="/process-instance" query={query} ids={ids} onClose={onClose}
      run={(processInstanceIds) => post('/process-instance/suspended-async', { processInstanceIds, suspended })}>
      <p class="quiet">{suspended ? 'Their jobs wait and their tasks cannot be completed until they are activated.' : 'Their jobs run again.'}</p>
    </Bulk>
  )
}
