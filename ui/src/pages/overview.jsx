// One glance: what is broken, what is stuck and why, how much is done.
import { useEffect, useState } from 'preact/hooks'
import { get } from '../app/api.js'
import { link } from '../app/route.js'
import { useChanges, useData } from '../app/use.js'
import { onChange } from '../app/live.js'
import { elementNames } from '../diagram/model.js'
import { Fold, many, Num } from '../parts/format.jsx'
import { Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { Spark } from '../parts/chart.jsx'
import { State } from '../parts/state.jsx'
import { BulkRetry } from '../parts/bulk.jsx'

function Figure({ name, n, href, tone }) {
  return <a class={`figure ${n > 0 ? tone ?? '' : ''}`} href={href}><strong class="number"><Num n={n} /></strong><span>{name}</span></a>
}

const whole = (n) => n.toLocaleString()

/** Figures come with the events once a second where they change; the first ones are asked for. */
function useFigures() {
  const first = useData((signal) => get('/orrery/figures', {}, { signal }), [])
  const [pushed, setPushed] = useState(null)
  useEffect(() => onChange((change) => change.figures && setPushed(change.figures)), [])
  useChanges(['job', 'instance', 'incident', 'task'], first.reload)
  return { ...first, data: pushed ?? first.data }
}

function Figures() {
  const figures = useFigures()
  return (
    <Loaded from={figures}>{({ now, series }) => (
      <>
        <div class="figures">
          <Figure name="running instances" n={now.instances} href={link(['instances'])} />
          <Figure name="incidents" n={now.incidents} href={link(['instances'], { incidents: 'true' })} tone="bad" />
          <Figure name="jobs without retries" n={now.failed_jobs} href={link(['jobs'], { state: 'failed' })} tone="bad" />
          <Figure name="jobs due" n={now.due_jobs} href={link(['jobs'], { state: 'due' })} />
          <Figure name="timers" n={now.timers} href={link(['jobs'], { state: 'waiting' })} />
          <Figure name="open tasks" n={now.tasks} href={link(['tasks'])} />
        </div>
        <div class="sparks">
          <Spark name="Jobs done a minute" values={series.jobs_done} format={whole} />
          <Spark name="Jobs failed a minute" values={series.jobs_failed} format={whole} tone="bad" />
          <Spark name="Instances started a minute" values={series.started} format={whole} tone="wait" />
          <Spark name="Instances ended a minute" values={series.ended} format={whole} tone="wait" />
        </div>
      </>
    )}</Loaded>
  )
}

/** definition id -> names of its elements, of the definitions that the groups are of. */
function useNames(groups) {
  const ids = [...new Set((groups ?? []).map((group) => group.definitionId).filter(Boolean))].sort()
  const models = useData(async (signal) => new Map(await Promise.all(ids.map(async (id) => [id,
    elementNames((await get(`/process-definition/${id}/xml`, {}, { signal })).bpmn20Xml)]))), [ids.join()])
  return ({ definitionId, activityId }) => models.data?.get(definitionId)?.get(activityId)?.name ?? activityId
}

export function Overview() {
  const groups = useData((signal) => get('/orrery/incident-groups', {}, { signal }), [], { kinds: ['incident', 'job'] })
  const stuck = useData((signal) => get('/orrery/stuck', {}, { signal }), [], { kinds: ['job', 'definition', 'executor'] })
  const nameOf = useNames([...(groups.data ?? []), ...(stuck.data ?? [])])
  const [retry, setRetry] = useState(null)
  const into = (group) => link(['definitions', group.definitionKey, group.version], { mode: 'incidents', activity: group.activityId })
  return (
    <section class="page">
      <h1 class="hidden">Overview</h1>
      <Figures />
      <h2>What is broken</h2>
      <Loaded from={groups}>{(rows) => (
        <Rows name="Incidents by process, activity and message" rows={rows} empty="Nothing: no incident is open." columns={[
          { head: 'Process', cell: (group) => <a href={into(group)}>{group.definitionName ?? group.definitionKey} {group.version}</a> },
          { head: 'Activity', cell: nameOf },
          { head: 'Kind', cell: (group) => <State of="incident" label={group.type} /> },
          { head: 'Message', cell: (group) => <Fold text={group.message} most={120} />, width: '42%' },
          { head: 'Incidents', num: true, cell: (group) => <Num n={group.count} /> },
          { head: 'Action', cell: (group) => group.type === 'failedJob' && <button type="button" onClick={() => setRetry(group)}>Retry…</button> }
        ]} />
      )}</Loaded>
      <h2>What is stuck, and why</h2>
      <Loaded from={stuck}>{(rows) => (
        <Rows name="Jobs that do not run, by reason" rows={rows} empty="Nothing: every job that is due is taken." columns={[
          { head: 'Reason', cell: (group) => <a href={link(['jobs'], { ids: group.sample })}>{group.text}</a>, width: '46%' },
          { head: 'Process', cell: (group) => group.definitionName ?? group.definitionKey },
          { head: 'Activity', cell: nameOf },
          { head: 'Jobs', num: true, cell: (group) => <Num n={group.count} /> }
        ]} />
      )}</Loaded>
      {retry && (
        <BulkRetry title={`Retry ${many(retry.count, 'job')} of ${nameOf(retry)}`} onClose={() => setRetry(null)}
          query={{ processDefinitionId: retry.definitionId, activityId: retry.activityId, noRetriesLeft: true, exceptionMessage: retry.message ?? undefined }} />
      )}
    </section>
  )
}
