// Lists do not move while the pointer is in them: who aims at a row hits that row.
import { useRef, useState } from 'preact/hooks'
import { many } from './format.jsx'

/** [whether the pointer is in an element, what the element needs to tell]. */
export function usePointerIn() {
  const [inside, set] = useState(false)
  return [inside, { onPointerEnter: () => set(true), onPointerLeave: () => set(false) }]
}

/** How many rows wait; a click lets them in. */
export function News({ n, onShow }) {
  return n > 0 ? <p class="news"><button type="button" onClick={onShow}>{many(n, 'new', 'new')}</button></p> : null
}

/** { rows, waiting, show }: `rows` in the order that they had when they were first held; those that came since wait. */
export function useHeldRows(rows, held, keyOf) {
  const [, again] = useState(0)
  const kept = useRef(null)
  if (!held || !kept.current) kept.current = rows
  const now = new Map(rows.map((row) => [keyOf(row), row]))
  const before = new Set(kept.current.map(keyOf))
  return {
    rows: held ? kept.current.map((row) => now.get(keyOf(row)) ?? { ...row, gone: true }) : rows,
    waiting: held ? rows.filter((row) => !before.has(keyOf(row))).length : 0,
    show: () => {
      kept.current = null
      again((n) => n + 1)
    }
  }
}
