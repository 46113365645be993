// Another attempt of what is out of retries: now, and what became of it.
import { ApiError, get, post, put, serverNow } from './api.js'
import { onChange } from './live.js'
import { many } from '../parts/format.jsx'
import { say } from '../parts/notice.jsx'

const PATIENCE_MS = 8000 // then the page says why the job still waits
const LISTED = 100 // more are followed by their batch
const SLACK_MS = 5000 // by which the clocks of two answers may seem to differ

/** Retries mean now: without a due date a job would wait as long as its last failure set it to. */
export const now = () => new Date(serverNow()).toISOString().replace('Z', '+0000')

const isFailure = (job) => job.retries === 0 || new Date(job.dueDate?.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') ?? 0) > serverNow() + SLACK_MS

/** How these jobs stand: { waiting: ids, failed: jobs, ran: how many are gone }. */
async function standing(ids) {
  const jobs = await post('/job', { jobIds: ids })
  const failed = jobs.filter(isFailure)
  return { failed, waiting: jobs.filter((job) => !isFailure(job)).map((job) => job.id), ran: ids.length - jobs.length }
}

function tell({ failed, ran }) {
  const again = failed.length ? `${many(failed.length, 'job')} failed again: ${failed[0].exceptionMessage ?? 'without a message'}` : ''
  const well = ran ? `${many(ran, 'job')} ran.` : ''
  say([well, again].filter(Boolean).join(' '), failed.length ? 'bad' : 'done')
}

async function tellWhy(id) {
  const why = await get('/orrery/why', { jobId: id })
  say(`It still waits: ${why.text}${why.cure ? ` → ${why.cure}` : ''}`)
}

/** Says what becomes of jobs that have an attempt: looks whenever the server tells of a change of jobs. */
function follow(ids) {
  let waits = null
  let looking = false
  let changed = false
  const end = () => {
    stop()
    clearTimeout(waits)
  }
  const look = async () => {
    changed = true
    if (looking) return
    looking = true
    try {
      while (changed) {
        changed = false
        const now = await standing(ids)
        if (now.waiting.length) continue
        end()
        tell(now)
        return // a change that came meanwhile has no news of these jobs
      }
    } catch (error) {
      end()
      say(error.message, 'bad')
    }
    looking = false
  }
  const stop = onChange((change) => {
    if (change.all || change.kinds?.some((kind) => kind === 'any' || kind === 'job')) look()
  })
  waits = setTimeout(async () => {
    const { waiting } = await standing(ids).catch(() => ({ waiting: [] }))
    if (waiting.length) tellWhy(waiting[0]).catch(() => {}) // it has run meanwhile
  }, PATIENCE_MS)
  look()
}

/** Gives jobs and external tasks an attempt each, at once, and says what becomes of the jobs; how many those are. */
export async function retryNow(jobs, tasks = []) {
  const due = now()
  for (const id of jobs) await put(`/job/${id}/retries`, { retries: 1, dueDate: due })
  if (tasks.length) await put('/external-task/retries', { externalTaskIds: tasks, retries: 1 })
  if (jobs.length) follow(jobs.slice(0, LISTED))
  return jobs.length + tasks.length
}

const idsOf = (rows) => rows.map((row) => row.id)

const elsewhere = (incident) => incident.rootCauseIncidentId && incident.rootCauseIncidentId !== incident.id

/** The incidents that these stand for: where they arose, which may be in an instance that was called. */
async function rootsOf(incidents) {
  const roots = [...new Set(incidents.filter(elsewhere).map((each) => each.rootCauseIncidentId))]
  const found = await Promise.all(roots.map((incidentId) => get('/incident', { incidentId })))
  return [...incidents.filter((each) => !elsewhere(each)), ...found.flat()]
}

const failedIn = (incidents, type) => incidents.filter((each) => each.incidentType === type).map((each) => each.configuration)

/** Retries what an incident stands for. */
export async function retryIncident(incident) {
  const roots = await rootsOf([incident])
  return retryNow(failedIn(roots, 'failedJob'), failedIn(roots, 'failedExternalTask'))
}

/** Retries all that is out of retries in an instance, and in those that it called. */
export async function retryInstance(instanceId) {
  const own = { processInstanceId: instanceId, noRetriesLeft: true }
  const [jobs, tasks, roots] = await Promise.all([post('/job', own), post('/external-task', own),
    get('/incident', { processInstanceId: instanceId }).then(rootsOf)])
  const all = [[...new Set([...idsOf(jobs), ...failedIn(roots, 'failedJob')])],
    [...new Set([...idsOf(tasks), ...failedIn(roots, 'failedExternalTask')])]]
  if (all.flat().length === 0) throw new ApiError(0, 'Nothing', 'Nothing of this instance is out of retries.')
  return retryNow(...all)
}
