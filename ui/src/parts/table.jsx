// A table of rows that are fetched as they come into view. Only the rows in view are in the document, so length costs nothing.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { refine } from '../app/route.js'
import { News, useHeldRows, usePointerIn } from './hold.jsx'
import { Empty, Failure } from './notice.jsx'
import { Under } from './under.jsx'

const ROW = 36 // pixels, as the style sheet says
const AROUND = 20 // rows kept above and below those in view

export const MOST = 100 // rows of a short list that are shown before somebody asks for more
const NARROW = 7 // rem, at least, of a column without a width in rem

/** A table is as wide as its columns need, and is scrolled where that is more than there is. */
function leastWidth(columns) {
  const rem = columns.map(({ width }) => (width?.endsWith('rem') ? parseFloat(width) : NARROW))
  return { minWidth: `${rem.reduce((sum, each) => sum + each, 0)}rem` }
}

/** The part of `count` rows that a scrolled element shows: [from, to]. */
function useWindow(count) {
  const element = useRef(null)
  const [range, setRange] = useState([0, 60])
  const measure = useCallback(() => {
    const box = element.current
    if (!box) return
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - AROUND)
    const to = Math.min(count ?? 0, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + AROUND)
    setRange((old) => (old[0] === from && old[1] === to ? old : [from, to]))
  }, [count])
  useEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [measure])
  return [element, range, measure]
}

function Head({ columns, sort, selectable }) {
  const [by, order] = (sort ?? '').split(':')
  const toggle = (name) => refine({ sort: by === name && order === 'desc' ? `${name}:asc` : `${name}:desc` })
  return (
    <thead>
      <tr>
        {selectable && <th class="check"><span class="hidden">Selected</span></th>}
        {columns.map(({ head, num, sortBy, width }) => (
          <th key={head} scope="col" class={num ? 'num' : ''} style={width ? { width } : undefined}
            aria-sort={sort && sortBy && by === sortBy ? (order === 'asc' ? 'ascending' : 'descending') : undefined}>
            {sortBy && sort ? <button type="button" class="sort" onClick={() => toggle(sortBy)}>{head}<span aria-hidden="true">
              {by === sortBy ? (order === 'asc' ? ' ↑' : ' ↓') : ''}</span></button> : head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Row({ row, columns, selection, label, current }) {
  return (
    <tr class={`${current ? 'current' : ''} ${row.gone ? 'gone' : ''}`} title={row.gone ? 'No longer in this list' : undefined}>
      {selection && (
        <td class="check"><input type="checkbox" aria-label={`Select ${label(row)}`} checked={selection.has(row.id)}
          onChange={() => selection.toggle(row.id)} /></td>
      )}
      {columns.map(({ head, cell, num }) => <td key={head} class={num ? 'num' : ''}>{cell(row)}</td>)}
    </tr>
  )
}

/**
 * `list` is of useList; `columns` have head, cell(row), num, sortBy, width. `selection` of useSelection shows boxes.
 * j and k go down and up, Enter follows the row's first link, x selects it.
 */
export function Table({ name, list, columns, sort, empty, selection, label = (row) => row.id, current }) {
  const { count, row, need, error } = list
  const [element, [from, to], measure] = useWindow(count)
  useEffect(() => {
    if (count) need(from, to)
  }, [from, to, count])
  const [inside, pointer] = usePointerIn()
  const held = inside || selection?.ids.size > 0
  useEffect(() => list.hold(held), [held, list.hold])
  const key = (event) => moveByKey(event, element.current)
  const width = columns.length + (selection ? 1 : 0)
  const rows = []
  for (let i = from; i < Math.min(to, count ?? 0); i++) {
    const one = row(i)
    rows.push(one ? <Row key={one.id ?? i} row={one} columns={columns} selection={selection} label={label} current={current?.(one)} />
      : <tr key={i} class="coming"><td colSpan={width}>…</td></tr>)
  }
  return (
    <>
      <Failure error={error} retry={list.reload} />
      <div class="rows" ref={element} onScroll={measure} onKeyDown={key} tabIndex={0} role="region" aria-label={name} {...pointer}>
        <News n={list.waiting} onShow={list.reload} />
        <table aria-rowcount={count ?? -1} style={leastWidth(columns)}>
          <Head columns={columns} sort={sort} selectable={Boolean(selection)} />
          <tbody>
            {from > 0 && <tr class="space" style={{ height: from * ROW }} aria-hidden="true"><td colSpan={width} /></tr>}
            {rows}
            {count > to && <tr class="space" style={{ height: (count - to) * ROW }} aria-hidden="true"><td colSpan={width} /></tr>}
          </tbody>
        </table>
        {count === 0 && !error && <Empty>{empty}</Empty>}
        {count === undefined && !error && <p class="quiet" aria-busy="true">Loading…</p>}
      </div>
      {count > 0 && list.fetch && <Under name={name} columns={columns} of={list} />}
    </>
  )
}

function moveByKey(event, box) {
  if (event.target.matches('input, select, textarea') && event.key !== 'Escape') return
  const links = [...box.querySelectorAll('tbody tr:not(.space)')].map((tr) => tr.querySelector('a, button')).filter(Boolean)
  const at = links.findIndex((each) => each.closest('tr') === document.activeElement?.closest('tr'))
  if (event.key === 'j' || event.key === 'ArrowDown') links[Math.min(at + 1, links.length - 1)]?.focus()
  else if (event.key === 'k' || event.key === 'ArrowUp') links[Math.max(at - 1, 0)]?.focus()
  else if (event.key === 'x' && at >= 0) links[at].closest('tr').querySelector('input[type=checkbox]')?.click()
  else return
  event.preventDefault()
}

/**
 * A short list: rows of an array, of which some are shown until somebody asks for more. Where the array is not all there is,
 * `total` says how many there are, and `onMore` fetches more. Its button is outside: under a pointer that is inside nothing is added.
 */
export function Rows({ name, rows: all, columns, empty, selection, label, current, keyOf = (row) => row.id, total, onMore }) {
  const [inside, pointer] = usePointerIn()
  const { rows, waiting, show } = useHeldRows(all, inside && all.every((row) => keyOf(row) !== undefined), keyOf)
  const [most, setMost] = useState(MOST)
  const shown = onMore ? rows : rows.slice(0, most)
  const left = (total ?? rows.length) - shown.length
  if (rows.length === 0) return <Empty>{empty}</Empty>
  return (
    <>
      <div class="rows whole" tabIndex={0} role="region" aria-label={name} onKeyDown={(event) => moveByKey(event, event.currentTarget)} {...pointer}>
        <News n={waiting} onShow={show} />
        <table style={leastWidth(columns)}>
          <Head columns={columns} selectable={Boolean(selection)} />
          <tbody>{shown.map((row, i) => <Row key={keyOf(row) ?? i} row={row} columns={columns} selection={selection}
            label={label ?? ((each) => each.id)} current={current?.(row)} />)}</tbody>
        </table>
      </div>
      {left > 0 && <p class="more"><button type="button" onClick={onMore ?? (() => setMost(most + MOST))}>Show {Math.min(MOST, left)} more
        of {left.toLocaleString()}</button></p>}
      <Under name={name} columns={columns} of={{ rows }} />
    </>
  )
}

/** The ids that the user has ticked. They stay what they are while the same is asked for; what is out of sight is not selected. */
export function useSelection(asked) {
  const [ids, setIds] = useState(() => new Set())
  useEffect(() => setIds(new Set()), [asked])
  return {
    ids,
    has: (id) => ids.has(id),
    toggle: (id) => setIds((old) => {
      const next = new Set(old)
      if (!next.delete(id)) next.add(id)
      return next
    }),
    set: (all) => setIds(new Set(all)),
    clear: () => setIds(new Set())
  }
}
