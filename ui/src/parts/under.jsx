// What stands under each list: its file of comma-separated values.
import { attempt } from './notice.jsx'
import { many } from './format.jsx'

const told = ({ written, cut }) => `${many(written, 'row')} written${cut ? `; there are more, and one file takes ${cut.toLocaleString()}` : ''}.`

/** `of`: { rows } of a list that is all there, { fetch, count } of another. */
export function Under({ name, columns, of }) {
  const write = () => attempt(async () => (await import('./csv.jsx')).download(name, columns, of), told)
  return <p class="under"><button type="button" class="link" title={`${name} as a file of comma-separated values`} onClick={write}>CSV</button></p>
}
