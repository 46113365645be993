// A list as a file of comma-separated values: what its columns show, of all of its rows.
import { render } from 'preact'
import { instant } from './format.jsx'

const PAGE = 1000
const MOST = 50000
const SKIPPED = ['Action', 'Edit']

/** What a cell says: instants in full, numbers without grouping, folded texts whole, and nothing of shapes and small buttons. */
function said(box) {
  for (const each of box.querySelectorAll('[aria-hidden=true], button.icon')) each.remove()
  for (const each of box.querySelectorAll('details')) each.replaceWith(each.querySelector('pre')?.textContent ?? each.textContent)
  for (const each of box.querySelectorAll('time')) each.replaceWith(instant(each.dateTime).toISOString())
  for (const each of box.querySelectorAll('data')) each.replaceWith(each.value)
  const text = box.textContent.trim()
  return text === '–' ? '' : text
}

// A spreadsheet takes what begins like this for a formula, which the user of a process may have written.
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(\.\d+)?$/

/** A value as RFC 4180 has it. */
export function quoted(text) {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The lines of `rows`; the row's id comes first, where it has one. */
function lines(rows, columns) {
  const box = document.createElement('div')
  return rows.map((row) => {
    const cells = columns.map((column) => {
      render(<div>{column.cell(row)}</div>, box)
      const text = said(box.firstChild.cloneNode(true))
      render(null, box)
      return text
    })
    return [row.id ?? '', ...cells].map((cell) => quoted(String(cell))).join(',')
  })
}

/** Gives the browser the file. `fetch(first, most)` gives rows of a list that is not all there; `rows` are those of one that is. */
export async function download(name, columns, { rows, fetch, count }) {
  const shown = columns.filter(({ head }) => !SKIPPED.includes(head))
  const out = [['Id of the row', ...shown.map(({ head }) => head)].map(quoted).join(',')]
  if (rows) out.push(...lines(rows, shown))
  for (let first = 0; !rows && first < Math.min(count, MOST); first += PAGE) {
    const page = await fetch(first, PAGE)
    out.push(...lines(page, shown))
    if (page.length < PAGE) break
  }
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([`${out.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' }))
  link.download = `${name.toLowerCase().replace(/\W+/g, '-')}.csv`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60000)
  return { written: out.length - 1, cut: !rows && count > MOST ? MOST : 0 }
}
