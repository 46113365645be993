// A bar of filters: what it holds stands in the address, so that a filtered list has a link.
import { get } from '../app/api.js'
import { refine } from '../app/route.js'
import { useData } from '../app/use.js'
import { elementNames } from '../diagram/model.js'

const UNITS = { m: 60000, h: 3600000, d: 86400000, w: 604800000 }

/** "2h" (ago), "3d", "2026-11-28" or "2026-11-28 18:00" of the viewer's time, as the server takes it. */
export function timeOf(words, now = Date.now()) {
  if (!words) return undefined
  const ago = words.trim().match(/^(\d+)\s*([mhdw])$/)
  const date = ago ? new Date(now - ago[1] * UNITS[ago[2]]) : new Date(words.trim().replace(/^(\d{4}-\d\d-\d\d)$/, '$1T00:00').replace(' ', 'T'))
  if (Number.isNaN(date.getTime())) throw new Error(`"${words}" is no time: write 2h, 3d or 1w (ago), or 2026-11-28 18:00.`)
  return date.toISOString().replace('Z', '+0000')
}

/** "1, 3-5" -> [1, 3, 4, 5] */
export function versionsOf(words) {
  return (words ?? '').split(',').map((part) => part.trim()).filter(Boolean).flatMap((part) => {
    const found = part.match(/^(\d+)(?:\s*-\s*(\d+))?$/)
    if (!found) throw new Error(`"${part}" is no version: write 2, or 1, 3-5.`)
    const [first, last] = [Number(found[1]), Number(found[2] ?? found[1])]
    return Array.from({ length: Math.min(1000, Math.max(0, last - first + 1)) }, (_, i) => first + i)
  })
}

/** Processes that there are, and the versions of the chosen one: { keys, versions, names }. */
export function useProcesses(chosen) {
  const latest = useData((signal) => get('/process-definition', { latestVersion: true, sortBy: 'name', sortOrder: 'asc' }, { signal }), [], { kinds: ['definition'] })
  const versions = useData((signal) => (chosen ? get('/process-definition', { key: chosen, sortBy: 'version', sortOrder: 'desc' }, { signal }) : []), [chosen],
    { kinds: ['definition'] })
  const newest = versions.data?.[0]?.id
  const names = useData(async (signal) => (newest ? elementNames((await get(`/process-definition/${newest}/xml`, {}, { signal })).bpmn20Xml) : new Map()), [newest])
  return { keys: latest.data ?? [], versions: versions.data, names: names.data ?? new Map() }
}

/** The part of a query that process and versions of the address say; undefined while the versions are on their way. */
export function definitionsFilter(query, { versions }) {
  const process = query.get('process')
  const wanted = versionsOf(query.get('versions'))
  if (!process) return {}
  if (wanted.length === 0) return { processDefinitionKey: process }
  if (!versions || versions.some((each) => each.key !== process)) return undefined
  const ids = versions.filter((each) => wanted.includes(each.version)).map((each) => each.id)
  return { processDefinitionIdIn: ids.length ? ids : ['0'] } // none has such a version
}

const NODE = /[Tt]ask$|Event$|Gateway$|[sS]ubProcess$|[cC]allActivity$|transaction$/

function Field({ name, label, hint, value, options, list }) {
  if (options) {
    return (
      <select name={name} aria-label={label}>
        <option value="">{hint}</option>
        {value && !options.some(([id]) => id === value) && <option value={value} selected>{value}</option>}
        {options.map(([id, title]) => <option key={id} value={id} selected={id === value}>{title}</option>)}
      </select>
    )
  }
  return (
    <>
      <input name={name} type="search" aria-label={label} placeholder={hint ?? label} defaultValue={value} list={list && `list-${name}`} />
      {list && <datalist id={`list-${name}`}>{list.map(([id, title]) => <option key={id} value={id}>{title}</option>)}</datalist>}
    </>
  )
}

/** Fields of process, versions and activity, for FilterBar. */
export function processFields({ keys, names }) {
  return [
    { name: 'process', label: 'Process', hint: 'any process', options: keys.map((each) => [each.key, each.name ?? each.key]) },
    { name: 'versions', label: 'Versions', hint: 'Versions: 1, 3-5' },
    { name: 'activity', label: 'Activity', hint: 'Id of an activity', list: [...names].filter(([, { type }]) => NODE.test(type)).map(([id, { name }]) => [id, name]) }
  ]
}

/** `fields`: { name, label, hint, options or list }; they are applied together. `children`: more inputs of the form, whose names are `more`. */
export function FilterBar({ fields, query, more = [], children }) {
  const all = fields.map((field) => field.name)
  const cleared = Object.fromEntries([...all, ...more].map((name) => [name, '']))
  const set = [...all, ...more].some((name) => query.get(name))
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => {
      event.preventDefault()
      const data = new FormData(event.target)
      refine({ ...cleared, ...Object.fromEntries(data), ids: '' })
    }}>
      {fields.map((field) => <Field key={`${field.name} ${query.get(field.name) ?? ''} ${field.options?.length}`} {...field} value={query.get(field.name) ?? ''} />)}
      {children}
      <button type="submit">Find</button>
      {set && <button type="button" onClick={() => refine({ ...cleared, view: '' })}>Clear</button>}
    </form>
  )
}
