// A server with users, and one with several engines.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { writeFileSync } from 'node:fs'
import { browse, folder, serve, shopStore, until } from './support.mjs'

let browser

before(async () => {
  browser = await browse()
})

after(() => browser?.close())

async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}

describe('on a server with users', () => {
  let server

  before(async () => {
    const users = folder()
    const hash = execFileSync('orrery', ['serve', '--hash'], { input: 'orbit\n', encoding: 'utf8' }).trim()
    writeFileSync(users, `user ann operate,deploy ${hash}\n`)
    server = await serve(shopStore(), '--auth', users)
    server.credentials = `Basic ${Buffer.from('ann:orbit').toString('base64')}`
  })

  after(() => server?.stop())

  async function login(hash) {
    const page = await browser.page(`${server.url}/${hash}`)
    const dialog = page.locator('dialog')
    await dialog.getByLabel('Name').fill('ann')
    await dialog.getByLabel('Password').fill('orbit')
    await dialog.getByRole('button', { name: 'Log in' }).click()
    await dialog.waitFor({ state: 'detached' })
    return page
  }

  const operations = async (id) => server.ask('GET', `/history/user-operation?processInstanceId=${id}`)

  it('each action is in the log with its user', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=pack&unassigned=true&maxResults=1')
    const id = task.processInstanceId
    const page = await login(`#/instances/${id}?panel=variables`)
    const log = []
    /** Does something, and waits for the line that it leaves in the log. */
    const does = async (type, act) => {
      log.push(type)
      await act()
      await until(async () => (await operations(id)).some((each) => each.operationType === type), `${type} in the log`)
    }
    await does('Suspend', () => page.getByRole('button', { name: 'Suspend' }).click())
    await does('Activate', () => page.getByRole('button', { name: 'Activate' }).click())
    await does('SetVariable', async () => {
      await page.getByRole('button', { name: 'Add a variable' }).click()
      await page.getByLabel('Name of the new variable').fill('checked')
      await page.getByLabel('Value', { exact: true }).fill('yes')
      await page.getByRole('button', { name: 'Save' }).click()
    })
    await does('ModifyProcessInstance', async () => {
      await page.getByRole('button', { name: 'Move a token…' }).click()
      await page.locator('[data-element-id="pickup"]').first().click()
      await page.getByRole('button', { name: 'Apply' }).click()
    })
    await page.getByRole('tab', { name: 'Log' }).click()
    for (const type of log) await page.locator('tr', { hasText: type }).filter({ hasText: 'ann' }).first().waitFor()
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByLabel('Reason').fill('ordered twice')
    await page.getByRole('button', { name: 'Cancel the instance' }).click()
    await until(async () => (await server.ask('GET', '/history/user-operation?entityType=Batch&userId=ann'))
      .some((each) => each.newValue === 'cancel'), 'the cancellation in the log')
    for (const each of await operations(id)) if (log.includes(each.operationType)) assert.equal(each.userId, 'ann', each.operationType)
    await done(page)
  })

  it('what is done to tasks and jobs is, too', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=check&unassigned=true&active=true&maxResults=1')
    const page = await login(`#/tasks/${task.id}`)
    await page.locator('article.task').getByLabel('Person').fill('ann')
    await page.getByRole('button', { name: 'Claim' }).click()
    const by = async (id, type) => (await operations(id)).find((each) => each.operationType === type)?.userId
    await until(async () => await by(task.processInstanceId, 'Claim') === 'ann', 'the claim in the log')
    await page.getByRole('button', { name: 'Complete' }).click()
    await until(async () => await by(task.processInstanceId, 'Complete') === 'ann', 'the completion in the log')
    const [incident] = await server.ask('GET', '/incident?activityId=invoice&maxResults=1')
    await page.goto(`${server.url}/#/instances/${incident.processInstanceId}`)
    await page.getByRole('button', { name: 'Retry what failed' }).click()
    await until(async () => await by(incident.processInstanceId, 'SetJobRetries') === 'ann', 'the retry in the log')
    await done(page)
  })
})

describe('on a server of several engines', () => {
  let server

  before(async () => {
    server = await serve(shopStore(), '--no-executor', '--engine', `branch=${folder()}`)
  })

  after(() => server?.stop())

  it('one is chosen, and stays in the address', async () => {
    const page = await browser.page(`${server.url}/#/definitions`)
    await page.getByRole('link', { name: 'Order', exact: true }).waitFor()
    await page.getByLabel('Engine').selectOption('branch')
    await page.waitForURL(/\?engine=branch#/)
    await page.getByRole('link', { name: 'Processes' }).click()
    await page.getByText(/None is deployed yet/).waitFor()
    assert.match(page.url(), /\?engine=branch#\/definitions/)
    await done(page)
  })
})
