// What each token waits for, what would help it, and the lists of what waits in all instances.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accessible } from '../look.mjs'
import { until } from '../support.mjs'
import { done, open as openPage, server, start } from './server.mjs'

const waiting = async (instance, name) => (await server.ask('GET', `/event-subscription?processInstanceId=${instance.id}&eventName=${encodeURIComponent(name)}`)).length
const fetchOne = (workerId) => server.ask('POST', '/external-task/fetchAndLock', { workerId, maxTasks: 1, topics: [{ topicName: 'scales', lockDuration: 600000 }] })
/** Locks tasks until it has that of an instance. */
const fetchOf = (instance, workerId) => until(async () => (await fetchOne(workerId))[0]?.processInstanceId === instance.id, 'its lock')

describe('the panel of what tokens wait for', () => {
  let page

  const row = (at) => page.locator('main tbody tr', { has: page.getByRole('button', { name: at, exact: true }) })
  const cells = async (at) => (await row(at).locator('td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())
  const gone = async (at) => {
    await page.mouse.move(2, 2) // under the pointer the list keeps it
    await row(at).waitFor({ state: 'detached' })
  }

  async function open(instance) {
    page = await openPage(`#/instances/${instance.id}?panel=waits`)
    await row('Ask the others').waitFor()
  }

  it('names for each token the message, signal, condition, topic, timer, job, task, instance or word, and what would help', async () => {
    const instance = await start('way-1')
    await fetchOf(instance, 'scale-7')
    const [called] = await server.ask('POST', '/process-instance', { superProcessInstance: instance.id })
    await open(instance)
    const said = {}
    for (const at of ['Money comes', 'Stopped', 'The doors open', 'Enough is there', 'Weigh it', 'A day passes', 'Book it', 'Sign it', 'Ask the others', 'Be told']) {
      said[at] = (await cells(at)).slice(1, 3).join(': ')
    }
    assert.match(said['A day passes'], /^timer: timer, .*\d/)
    assert.match(said['Weigh it'], /^topic: topic scales ◆ locked by worker scale-7 until .*\d\d:\d\d/)
    delete said['A day passes']
    delete said['Weigh it']
    assert.deepEqual(said, {
      'Money comes': 'message: message paid, correlated by the business key way-1, the instance’s id, or its variables',
      Stopped: 'message: message stop-way-1, correlated by the business key way-1, the instance’s id, or its variables',
      'The doors open': 'signal: signal doors open',
      'Enough is there': 'condition: condition ${amount > 100}',
      'Book it': 'job: job ▶ due',
      'Sign it': 'task: task Sign it, which nobody has claimed',
      'Ask the others': `called instance: called instance ${called.id}`,
      'Be told': 'a word: being told to go on'
    })
    assert.equal((await cells('Enough is there'))[3], 'A change of a variable that makes it true.')
    assert.equal((await cells('Sign it'))[3], 'Somebody claims and completes it.')
    await row('Book it').getByRole('button', { name: 'Why?' }).click()
    await page.locator('.why strong').waitFor()
    await accessible(page, 'waits')
    await done(page)
  })

  it('sends a message with variables to that token alone, and a signal to all', async () => {
    const [instance, other] = [await start('way-2'), await start('way-3')]
    await open(instance)
    await row('Money comes').getByRole('button', { name: 'Send…' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByText(/all that wait for it: \d subscriptions/).waitFor({ state: 'attached' })
    await dialog.getByRole('button', { name: 'Add a variable' }).click()
    await dialog.getByLabel('Name of variable 1').fill('receipt')
    await dialog.getByLabel('Value of variable 1').fill('R-9')
    await dialog.getByRole('button', { name: 'Send the message' }).click()
    await gone('Money comes')
    assert.equal(await waiting(other, 'paid'), 1)
    assert.equal((await server.ask('GET', `/process-instance/${instance.id}/variables/receipt`)).value, 'R-9')
    await row('All of it').waitFor() // the joining gateway, where the token is now
    assert.deepEqual((await cells('All of it')).slice(1, 3), ['other tokens', 'tokens on its other incoming flows'])
    await row('The doors open').getByRole('button', { name: 'Send…' }).click()
    await dialog.getByLabel('To').selectOption('all')
    await dialog.getByRole('button', { name: 'Send the signal' }).click()
    await gone('The doors open')
    assert.equal(await waiting(other, 'doors open'), 0)
    await done(page)
  })

  it('runs a timer now, tells a task to go on, and takes a lock away', async () => {
    const instance = await start('way-6')
    await fetchOf(instance, 'scale-9')
    await open(instance)
    await row('A day passes').getByRole('button', { name: 'Run now' }).click()
    await gone('A day passes')
    await row('Be told').getByRole('button', { name: 'Go on' }).click()
    await gone('Be told')
    await row('Weigh it').getByRole('button', { name: 'Unlock' }).click()
    await row('Weigh it').getByText('free').waitFor()
    assert.equal((await server.ask('GET', `/external-task?processInstanceId=${instance.id}`))[0].workerId, null)
    await done(page)
  })
})

describe('the lists of what waits', () => {
  it('has external tasks by topic, worker and state, and retries those that failed', async () => {
    await start('way-4')
    const [task] = await fetchOne('scale-8')
    await server.ask('POST', `/external-task/${task.id}/failure`, { workerId: 'scale-8', errorMessage: 'the scale is broken', retries: 0 })
    const page = await openPage('#/waits')
    await page.getByRole('link', { name: 'scales' }).click()
    await page.waitForURL(/topic=scales/)
    await page.getByLabel('State', { exact: true }).selectOption('failed')
    await page.getByRole('button', { name: 'Find' }).click()
    const row = page.locator('main tbody tr', { hasText: 'the scale is broken' })
    await row.waitFor()
    assert.equal(await page.locator('main tbody tr').count(), 1)
    assert.equal(await page.getByLabel('State', { exact: true }).inputValue(), 'failed')
    await accessible(page, 'external')
    await page.getByRole('button', { name: 'Retry all of the list…' }).click()
    await page.locator('dialog strong', { hasText: '1 external task' }).waitFor()
    await page.locator('dialog').getByRole('button', { name: /^Retry \d/ }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.mouse.move(2, 2)
    await row.waitFor({ state: 'detached' })
    assert.equal((await server.ask('GET', `/external-task/${task.id}`)).retries, 1)
    await done(page)
  })

  it('has subscriptions by name, with their instances, from which the message is sent', async () => {
    const instance = await start('way-5')
    const page = await openPage('#/waits?of=message')
    await page.getByLabel('Name', { exact: true }).fill('stop-way-5')
    await page.getByRole('button', { name: 'Find' }).click()
    const row = page.locator('main tbody tr', { hasText: 'stop-way-5' })
    await row.getByRole('link', { name: 'way-5', exact: true }).waitFor()
    await page.waitForURL(/name=stop-way-5/)
    assert.match(await row.innerText(), /Waits 3[\s\S]*Stopped/)
    assert.equal(await page.locator('main tbody tr').count(), 1)
    await row.getByRole('button', { name: 'Send…' }).click()
    await accessible(page, 'send')
    await page.locator('dialog').getByRole('button', { name: 'Send the message' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.mouse.move(2, 2)
    await row.waitFor({ state: 'detached' })
    assert.deepEqual(await server.ask('GET', `/external-task?processInstanceId=${instance.id}`), [])
    await page.getByRole('button', { name: 'conditions' }).click()
    await page.locator('main tbody tr', { hasText: 'Enough is there' }).first().waitFor()
    await done(page)
  })
})
