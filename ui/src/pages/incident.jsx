// The link to an incident: it leads to the instance where it arose.
import { useEffect } from 'preact/hooks'
import { get } from '../app/api.js'
import { link } from '../app/route.js'
import { useData } from '../app/use.js'
import { Loaded } from '../parts/notice.jsx'

export function Incident({ id }) {
  const found = useData((signal) => get('/incident', { incidentId: id }, { signal }), [id])
  const incident = found.data?.[0]
  useEffect(() => {
    if (incident) location.replace(link(['instances', incident.processInstanceId], { panel: 'incidents', element: incident.activityId }))
  }, [incident])
  return <section class="page"><h1>Incident {id}</h1><Loaded from={found}>{(rows) => rows.length === 0 && <p>It is resolved, or there never was one.</p>}</Loaded></section>
}
