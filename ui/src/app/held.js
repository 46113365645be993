// A list under the user's hand: its rows stay where they are. What they say is renewed in place; what is new waits and is counted.

/**
 * Renews the rows of `pages` (page number -> rows) that are within `seen`, as `fetch(first, most)` and `same(ids)` give them now.
 * A row that is in the list no more stays, as `gone`. The number of rows that wait: `grown` is how many more the list has now.
 */
export async function renew({ pages, size, seen: [from, to], grown, fetch, same }) {
  const first = Math.floor(from / size)
  const last = Math.floor(Math.max(from, to - 1) / size)
  let unknown = 0
  let gone = 0
  const known = new Set([...pages.values()].flat().map((row) => row.id))
  for (let page = first; page <= last; page++) {
    const rows = pages.get(page)
    if (!rows) continue
    const now = new Map((await fetch(page * size, size)).map((row) => [row.id, row]))
    for (const id of now.keys()) if (!known.has(id)) unknown++
    const moved = rows.map((row) => row.id).filter((id) => !now.has(id))
    if (same && moved.length) for (const row of await same(moved)) now.set(row.id, row)
    pages.set(page, rows.map((row) => now.get(row.id) ?? (same ? { ...row, gone: true } : row)))
    gone += pages.get(page).filter((row) => row.gone).length
  }
  return Math.max(0, unknown, grown + gone)
}
