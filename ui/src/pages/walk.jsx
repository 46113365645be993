// The slider over an instance's history. At a moment the diagram shows which tokens stood where, and the variables are of then.
import { useMemo } from 'preact/hooks'
import { get } from '../app/api.js'
import { refine } from '../app/route.js'
import { useData } from '../app/use.js'
import { moments } from '../diagram/trail.js'
import { timeText } from '../parts/format.jsx'

const UPDATES_MAX = 5000

/** The updates of an instance's variables, oldest first, where the history keeps them; without them, what it keeps of each variable. */
export function useUpdates(instanceId) {
  return useData(async (signal) => {
    const rows = await get('/history/detail', { processInstanceId: instanceId, variableUpdates: true, sortBy: 'time', sortOrder: 'asc',
      maxResults: UPDATES_MAX, deserializeValues: false }, { signal }).catch(() => [])
    if (rows.length) return { whole: true, rows: rows.map((row) => ({ ...row, type: row.variableType, scope: row.activityInstanceId })) }
    const kept = await get('/history/variable-instance', { processInstanceId: instanceId, deserializeValues: false }, { signal })
    return { whole: false, rows: kept.map((row) => ({ ...row, variableName: row.name, time: row.createTime, scope: row.activityInstanceId })) }
  }, [instanceId], { kinds: ['variable', 'instance'], id: instanceId })
}

export function Walk({ instanceId, activities, at }) {
  const updates = useUpdates(instanceId)
  const times = useMemo(() => moments(activities, updates.data?.rows ?? []), [activities, updates.data])
  if (times.length < 2) return null
  // The last stop is "now": the live view.
  const index = at === null ? times.length : Math.max(0, times.findLastIndex((time) => time <= at))
  const to = (i) => refine({ at: i >= times.length ? '' : times[i] }, { replace: true })
  return (
    <div class="walk">
      <button type="button" class="icon" aria-label="One step back" disabled={index <= 0} onClick={() => to(index - 1)}>◂</button>
      <input type="range" min="0" max={times.length} value={index} aria-label="Walk through time"
        aria-valuetext={at === null ? 'now' : timeText(new Date(at), true)} onInput={(event) => to(Number(event.target.value))} />
      <button type="button" class="icon" aria-label="One step on" disabled={index >= times.length} onClick={() => to(index + 1)}>▸</button>
      <output>{at === null ? 'now' : timeText(new Date(at), true)}</output>
      <button type="button" style={{ visibility: at === null ? 'hidden' : 'visible' }} onClick={() => to(times.length)}>Now</button>
    </div>
  )
}
