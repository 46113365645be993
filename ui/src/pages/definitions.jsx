// All processes, with what runs and what is broken in each.
import { get } from '../app/api.js'
import { link, refine } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { Num } from '../parts/format.jsx'
import { Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { State } from '../parts/state.jsx'

/** One row a key: figures of all versions together, the latest one's name. */
function byKey(statistics) {
  const rows = new Map()
  for (const { definition, instances, failedJobs, incidents } of statistics) {
    const row = rows.get(definition.key) ?? { id: definition.key, versions: 0, instances: 0, failedJobs: 0, incidents: 0, latest: definition }
    row.versions += 1
    row.instances += instances
    row.failedJobs += failedJobs
    row.incidents += (incidents ?? []).reduce((sum, each) => sum + each.incidentCount, 0)
    if (definition.version > row.latest.version) row.latest = definition
    rows.set(definition.key, row)
  }
  return [...rows.values()].sort((a, b) => b.incidents - a.incidents || b.instances - a.instances || a.id.localeCompare(b.id))
}

export function Definitions({ query }) {
  const statistics = useData((signal) => get('/process-definition/statistics', { failedJobs: true, incidents: true }, { signal }), [],
    { kinds: ['definition', 'incident', 'instance', 'job'] })
  const words = (query.get('find') ?? '').toLowerCase()
  const wanted = ({ id, latest }) => !words || id.toLowerCase().includes(words) || (latest.name ?? '').toLowerCase().includes(words)
  return (
    <section class="page">
      <header class="head">
        <h1>Processes</h1>
        <input type="search" aria-label="Filter processes" placeholder="Filter" value={query.get('find') ?? ''}
          onInput={(event) => refine({ find: event.target.value }, { replace: true })} />
        {may('deploy') && <a class="button" href={link(['deployments'])}>Deploy…</a>}
      </header>
      <Loaded from={statistics}>{(data) => (
        <Rows name="Processes" rows={byKey(data).filter(wanted)} empty={words ? 'None has this name.' : 'None is deployed yet.'} columns={[
          { head: 'Name', cell: (row) => <a href={link(['definitions', row.id, row.latest.version])}>{row.latest.name ?? row.id}</a>, width: '34%' },
          { head: 'Key', cell: (row) => <code>{row.id}</code> },
          { head: 'Version', num: true, cell: (row) => <Num n={row.latest.version} /> },
          { head: 'Versions', num: true, cell: (row) => <Num n={row.versions} /> },
          { head: 'Running', num: true, cell: (row) => <Num n={row.instances} /> },
          { head: 'Incidents', num: true, cell: (row) => (row.incidents ? <State of="incident" label={row.incidents.toLocaleString()} /> : <Num n={0} />) },
          { head: 'State', cell: (row) => <State of={row.latest.suspended ? 'suspended' : 'active'} /> }
        ]} />
      )}</Loaded>
    </section>
  )
}
