// What happened in an instance, in the engine's order, which a clock of milliseconds does not tell.

const number = (row) => row.orrery.sequence // as the engine dealt it

/** The first activity of others that began when this one had ended: before it stands that end. */
function followerOf(ended, starts, within) {
  return starts.find((each) => number(each) > number(ended) && each.startTime >= ended.endTime && !within(each, ended))
}

/** Is it in the scope of the other, at any depth? */
function nesting(activities) {
  const byId = new Map(activities.map((each) => [each.id, each]))
  return (inner, outer) => {
    for (let at = inner; at; at = byId.get(at.parentActivityInstanceId)) if (at.id === outer.id) return true
    return false
  }
}

/**
 * Starts, ends and updates of variables as { time, kind, of }, oldest first. Rows of history carry the number that they were
 * made with; an end has none of its own: within a millisecond it stands before what began behind it, inner ends first.
 */
export function timeline(activities, updates) {
  const starts = [...activities].sort((a, b) => number(a) - number(b))
  const within = nesting(activities)
  const events = starts.map((of) => ({ time: of.startTime, kind: 'entered', of, at: [number(of), 0, 0] }))
  const atSameTime = grouped(starts)
  for (const of of starts) {
    if (!of.endTime) continue
    const next = followerOf(of, atSameTime.get(of.endTime) ?? [], within)
    events.push({ time: of.endTime, kind: of.canceled ? 'canceled' : 'left', of, at: [next ? number(next) : Infinity, -1, -number(of)] })
  }
  for (const of of updates) events.push({ time: of.time, kind: 'set', of, at: [number(of), 0, 0] })
  return events.sort((a, b) => a.time.localeCompare(b.time) || compared(a.at, b.at))
}

function grouped(rows) {
  const groups = new Map()
  for (const row of rows) {
    if (!groups.has(row.startTime)) groups.set(row.startTime, [])
    groups.get(row.startTime).push(row)
  }
  return groups
}

function compared(a, b) {
  const i = a.findIndex((each, at) => each !== b[at])
  return i < 0 ? 0 : a[i] < b[i] ? -1 : 1
}
