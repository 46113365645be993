// Retries: at once, wherever a user asks for them, and with what became of them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../support.mjs'
import { done, open, server } from './server.mjs'

const JAMMED = { jammed: { value: true } }
const jobsOf = (id) => server.ask('POST', '/job', { processInstanceId: id })
const taskOf = (id) => server.ask('GET', `/task?processInstanceId=${id}`)

/** An instance whose job has failed and is due in half an hour. */
async function jam(key = 'press', businessKey) {
  const id = await server.begin(key, JAMMED, businessKey)
  const failed = key === 'press' ? id : (await server.ask('POST', '/process-instance', { superProcessInstance: id }))[0].id
  await until(async () => (await jobsOf(failed))[0]?.retries === 0, 'the failure')
  const [job] = await jobsOf(failed)
  assert.ok(new Date(job.dueDate.replace('+0000', 'Z')) > Date.now() + 60000, job.dueDate)
  return { id, failed, job }
}

const free = (id) => server.ask('PUT', `/process-instance/${id}/variables/jammed`, { value: false, type: 'Boolean' })
const ran = (id) => until(async () => (await taskOf(id)).length === 1, 'the attempt')

/** A worker's task that has failed for good. */
async function failPaint(businessKey) {
  const id = await server.begin('paint', {}, businessKey)
  const tasks = await server.ask('POST', '/external-task/fetchAndLock', { workerId: 'w', maxTasks: 10, topics: [{ topicName: 'spray', lockDuration: 1000 }] })
  const task = tasks.find((each) => each.processInstanceId === id)
  await server.ask('POST', `/external-task/${task.id}/failure`, { workerId: 'w', errorMessage: 'no paint', retries: 0 })
  return { id, task }
}

const retriesOf = async ({ task }) => (await server.ask('GET', `/external-task/${task.id}`)).retries

describe('a retry means now', () => {
  it('of an instance, and says that it ran', async () => {
    const { id } = await jam()
    await free(id)
    const page = await open(`#/instances/${id}`)
    await page.getByRole('button', { name: 'Retry what failed' }).click()
    await page.getByText('1 job ran.').waitFor()
    await ran(id)
    await done(page)
  })

  it('of an incident, and says that it failed again', async () => {
    const { id } = await jam()
    const page = await open(`#/instances/${id}?panel=incidents`)
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('1 job failed again: the press is jammed').waitFor()
    await done(page)
  })

  it('of a job in a list', async () => {
    const { id, job } = await jam()
    await free(id)
    const page = await open(`#/jobs?ids=${job.id}`)
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByText('1 job ran.').waitFor()
    await ran(id)
    await done(page)
  })

  it('of all of a list, jobs and external tasks', async () => {
    const jobs = [await jam('press', 'lot-7'), await jam('press', 'lot-7')]
    const paint = await failPaint('lot-7')
    for (const { id } of jobs) await free(id)
    const page = await open('#/instances?find=lot-7')
    await page.getByRole('button', { name: 'Retry…' }).click()
    await page.locator('dialog strong', { hasText: '2 jobs and 1 external task' }).waitFor()
    await page.getByRole('button', { name: 'Retry 2 jobs and 1 external task' }).click()
    await page.waitForURL(/#\/batches\//)
    for (const { id } of jobs) await ran(id)
    await until(async () => await retriesOf(paint) === 1, 'the retries of the external task')
    await done(page)
  })

  it('of a version of a process, external tasks too', async () => {
    const paint = await failPaint()
    const page = await open('#/definitions/paint/1')
    await page.getByRole('button', { name: 'Retry what failed…' }).click()
    await page.getByRole('button', { name: /^Retry \d+ external task/ }).click()
    await until(async () => await retriesOf(paint) === 1, 'the retries of the external task')
    await page.waitForURL(/#\/batches\//)
    await done(page)
  })
})

describe('an incident of a called instance', () => {
  it('leads to where it arose, from where one finds back', async () => {
    const { id, failed } = await jam('line', 'order-1')
    const page = await open(`#/instances/${id}?panel=incidents`)
    await page.getByRole('link', { name: 'Where it arose' }).click()
    await page.waitForURL(new RegExp(`#/instances/${failed}\\?.*element=stamp`))
    const crumbs = page.getByRole('navigation', { name: 'Called by' })
    await crumbs.getByRole('link', { name: 'Line order-1' }).click()
    await page.waitForURL(new RegExp(`#/instances/${id}\\?panel=called`))
    const row = page.locator('[aria-label="Instances"] tbody tr')
    await row.filter({ hasText: 'incident' }).waitFor()
    await page.getByRole('button', { name: 'ended', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await done(page)
  })

  it('is retried by retrying the caller', async () => {
    const { id, failed } = await jam('line')
    await free(failed)
    const page = await open(`#/instances/${id}`)
    await page.getByRole('button', { name: 'Retry what failed' }).click()
    await page.getByText('1 job ran.').waitFor()
    await ran(failed)
    await done(page)
  })
})
