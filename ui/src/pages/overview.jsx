// One glance: what is broken, what is stuck and why, how much is done.
import { useState } from 'preact/hooks'
import { get, post } from '../app/api.js'
import { link } from '../app/route.js'
import { may } from '../app/session.jsx'
import { useData } from '../app/use.js'
import { elementNames } from '../diagram/model.js'
import { Fold, many, Num, spanText } from '../parts/format.jsx'
import { Loaded } from '../parts/notice.jsx'
import { Rows } from '../parts/table.jsx'
import { Spark } from '../parts/chart.jsx'
import { kindText, State } from '../parts/state.jsx'
import { BulkRetry } from '../parts/bulk.jsx'
import { retryFailures } from '../parts/failures.js'

function Figure({ name, n, href, tone }) {
  return <a class={`figure ${n > 0 ? tone ?? '' : ''}`} href={href}><strong class="number"><Num n={n} /></strong><span>{name}</span></a>
}

const whole = (n) => n.toLocaleString()

function Figures() {
  const figures = useData((signal) => get('/orrery/figures', {}, { signal }), [], { kinds: ['job', 'instance', 'incident', 'task'], slow: true })
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
          <Spark name="Jobs a minute" values={series.jobs_done} format={whole} />
          <Spark name="Failures a minute" values={series.jobs_failed} format={whole} tone="bad" />
          <Spark name="Starts a minute" values={series.started} format={whole} tone="wait" />
          <Spark name="Ends a minute" values={series.ended} format={whole} tone="wait" />
          <Spark name="Mean wait of jobs" values={series.wait_ms} format={spanText} tone="held" />
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

/** What was not looked at for an answer about groups. */
function Cut({ answer, noun }) {
  if (!answer.more) return null
  return <p class="quiet">Of the first {many(answer.looked, noun)}, and at most 200 groups: there are more, so the counts are lower bounds.</p>
}

const ofGroup = ({ definitionId, activityId, type, message }) => ({ definitionId, activityId, type, message })

/** The jobs, or external tasks, that the incidents of a group stand for now. */
function frozenGroup(group) {
  return async (signal) => {
    const { jobIds, externalTaskIds } = await post('/orrery/incident-group', ofGroup(group), { signal })
    const ids = jobIds ?? externalTaskIds
    return { ids, total: ids.length, sample: ids.slice(0, 5) }
  }
}

function RetryGroup({ group, name, onClose }) {
  const external = group.type === 'failedExternalTask'
  return <BulkRetry title={`Retry ${name}`} freeze={frozenGroup(group)} onClose={onClose} noun={external ? 'external task' : 'job'}
    retry={external ? (ids, _, retries) => retryFailures([], ids, retries) : undefined} />
}

// Messages of a group differ in their numbers.
const groupKey = ({ definitionId, activityId, type, reason, message, text }) =>
  [definitionId, activityId, type ?? reason, (message ?? text ?? '').split('\n', 1)[0].replace(/\d+/g, '0')].join(' ')

const RETRIED = ['failedJob', 'failedExternalTask']

function Broken({ groups, nameOf, into, onRetry }) {
  return (
    <Loaded from={groups}>{(answer) => (
      <>
        <Rows name="Incidents by process, activity and message" rows={answer.groups} keyOf={groupKey} empty="Nothing: no incident is open." columns={[
          { head: 'Process', cell: (group) => <a href={into(group)}>{group.definitionName ?? group.definitionKey} {group.version}</a> },
          { head: 'Activity', cell: nameOf },
          { head: 'Kind', cell: (group) => <State of="incident" label={kindText(group.type)} /> },
          { head: 'Message', cell: (group) => <Fold text={group.message} most={120} />, width: '42%' },
          { head: 'Incidents', num: true, cell: (group) => <Num n={group.count} /> },
          { head: 'Action', cell: (group) => may('operate') && RETRIED.includes(group.type) && <button type="button" onClick={() => onRetry(group)}>Retry…</button> }
        ]} />
        {answer.callers > 0 && <p class="quiet">{many(answer.callers, 'incident')} more {answer.callers === 1 ? 'is' : 'are'} of instances that called one of these.</p>}
        <Cut answer={answer} noun="incident" />
      </>
    )}</Loaded>
  )
}

function Stuck({ stuck, nameOf }) {
  return (
    <Loaded from={stuck}>{(answer) => (
      <>
        <Rows name="Jobs that do not run, by reason" rows={answer.groups} keyOf={groupKey} empty="Nothing: every job that is due is taken." columns={[
          { head: 'Process', cell: (group) => group.definitionName ?? group.definitionKey },
          { head: 'Activity', cell: (group) => <a href={link(['jobs'], { ids: group.sample })} title="Show one of these jobs">{nameOf(group)}</a> },
          { head: 'Reason', cell: (group) => <State of={STUCK[group.reason] ?? 'waiting'} label={group.reason.replaceAll('_', ' ')} /> },
          { head: 'What it says, and what would help', width: '50%', cell: (group) => <><Fold text={group.text} most={160} said />{group.cure && <span class="quiet"> → {group.cure}</span>}</> },
          { head: 'Jobs', num: true, cell: (group) => <Num n={group.count} /> }
        ]} />
        <Cut answer={answer} noun="job" />
      </>
    )}</Loaded>
  )
}

const STUCK = { suspended: 'suspended', retry_later: 'retrying', conflict: 'retrying', commit_failed: 'retrying' }

export function Overview() {
  const groups = useData((signal) => get('/orrery/incident-groups', {}, { signal }), [], { kinds: ['incident', 'job'], slow: true })
  const stuck = useData((signal) => get('/orrery/stuck', {}, { signal }), [], { kinds: ['job', 'definition', 'executor'], slow: true })
  const nameOf = useNames([...(groups.data?.groups ?? []), ...(stuck.data?.groups ?? [])])
  const [retry, setRetry] = useState(null)
  const into = (group) => link(['definitions', group.definitionKey, group.version], { mode: 'incidents', activity: group.activityId })
  return (
    <section class="page">
      <h1 class="hidden">Overview</h1>
      <Figures />
      <h2>What is broken</h2>
      <Broken groups={groups} nameOf={nameOf} into={into} onRetry={setRetry} />
      <h2>What is stuck, and why</h2>
      <Stuck stuck={stuck} nameOf={nameOf} />
      {retry && <RetryGroup group={retry} name={nameOf(retry)} onClose={() => setRetry(null)} />}
    </section>
  )
}
