// An instance's history as a walk through time: which tokens stood where at a moment, what had ended, and what its variables were.
import { instant } from '../parts/format.jsx'

const at = (text) => instant(text)?.getTime() ?? null

/** The moments at which something happened, in order. */
export function moments(activities, updates) {
  const times = new Set()
  for (const activity of activities) {
    times.add(at(activity.startTime))
    if (activity.endTime) times.add(at(activity.endTime))
  }
  for (const update of updates) times.add(at(update.time))
  return [...times].filter((time) => time !== null).sort((a, b) => a - b)
}

/** What stood where at `time`: { active: id -> count, ended: id -> count, canceled: id -> count }. */
export function standing(activities, time) {
  const active = new Map()
  const ended = new Map()
  const add = (map, id) => map.set(id, (map.get(id) ?? 0) + 1)
  for (const activity of activities) {
    const start = at(activity.startTime)
    const end = at(activity.endTime)
    if (start > time) continue
    if (end === null || end > time) add(active, activity.activityId)
    else add(ended, activity.activityId)
  }
  return { active, ended }
}

/** The variables of that moment: the last update of each, of those known. */
export function variablesAt(updates, time) {
  const last = new Map()
  for (const update of updates) {
    const when = at(update.time)
    if (when > time) continue
    const key = `${update.variableName}\n${update.scope ?? ''}`
    const old = last.get(key)
    if (!old || when >= at(old.time)) last.set(key, update)
  }
  return [...last.values()].filter((update) => !update.deleted).sort((a, b) => a.variableName.localeCompare(b.variableName))
}
