// Plans for a selection of instances, suspension with what runs and from a date, threads, and limits by rate.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { accessible } from '../look.mjs'
import { until } from '../support.mjs'
import { done, open as openPage, start as startOn, working } from './server.mjs'

const { server, versions } = working

const open = (hash) => openPage(hash, server)
const start = (businessKey, version = versions[2]) => startOn(businessKey, { version, at: server })
const keys = async (query) => (await server.ask('POST', '/process-instance', query)).map((each) => each.businessKey).sort()
const at = (activity) => keys({ activityIdIn: [activity], processDefinitionKey: 'waits' })

/** Ticks instances in the list, and opens the page of a plan for them. */
async function choose(chosen, what) {
  const page = await open('#/instances?process=waits')
  for (const key of chosen) await page.getByLabel(`Select ${key}`, { exact: true }).check()
  await page.getByRole('button', { name: 'Migrate or move…' }).click()
  await page.locator('dialog').getByText(`Waits 3, ${chosen.length} instances:`).waitFor()
  await page.locator('dialog').getByRole('link', { name: what }).click()
  return page
}

describe('a plan for a selection', () => {
  it('moves tokens: several moves, a summary of what and of which instances, and no others', async () => {
    for (const key of ['trip-1', 'trip-2', 'trip-3', 'trip-4']) await start(key)
    const [signed] = await server.ask('POST', '/task', { processInstanceBusinessKey: 'trip-3', taskDefinitionKey: 'sign' })
    await server.ask('POST', `/task/${signed.id}/complete`, {})
    const page = await choose(['trip-1', 'trip-2', 'trip-3'], 'Move tokens…')
    await page.locator('[data-element-id="sign"]').first().click()
    await page.waitForURL(/from=sign/)
    await page.getByLabel('Before or behind').selectOption('after')
    await page.getByLabel('which element').selectOption('told')
    await page.waitForURL(/to=told/)
    await page.getByRole('button', { name: 'Add to the plan' }).click()
    await page.getByLabel('Take away the tokens at').selectOption('enough')
    await page.waitForURL(/from=enough/)
    await page.getByRole('button', { name: 'Add to the plan' }).click()
    await page.waitForURL(/plan=sign%3Eafter%3Atold%2Cenough%3E/)
    await page.locator('.moves li').nth(1).waitFor()
    await accessible(page, 'moves')
    await page.getByRole('button', { name: 'Review the plan…' }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('strong', { hasText: '2 instances' }).waitFor()
    await dialog.getByText('Of 3 chosen instances').waitFor()
    assert.deepEqual((await dialog.locator('li').allInnerTexts()).map((text) => text.trim()),
      ['take away all tokens at Sign it, and start behind Be told', 'take away all tokens at Enough is there'])
    await dialog.getByRole('button', { name: 'Move the tokens' }).click()
    await page.waitForURL(/#\/batches\//)
    await until(async () => (await at('sign')).length === 1, 'the moves')
    assert.deepEqual(await at('sign'), ['trip-4'])
    await until(async () => (await at('enough')).length === 2, 'the other moves')
    assert.deepEqual(await at('enough'), ['trip-3', 'trip-4'])
    assert.deepEqual(await at('join'), ['trip-1', 'trip-2'])
    await done(page)
  })

  it('migrates to any version, with a summary before it runs', async () => {
    await start('trip-5')
    await start('trip-6')
    const page = await choose(['trip-5', 'trip-6'], 'Migrate…')
    await page.getByLabel('to version').selectOption({ label: '1' })
    await page.getByLabel('Target of Sign it').waitFor()
    await page.getByRole('button', { name: 'Migrate 2 instances…' }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('strong', { hasText: '2 instances' }).waitFor()
    await dialog.getByText(/\d+ activities keep their place/).waitFor()
    assert.equal(await dialog.getByText('cannot go').count(), 0) // what is not mapped is of another process
    await accessible(page, 'migration-summary')
    await dialog.getByRole('button', { name: /^Migrate \d/ }).click()
    await until(async () => (await keys({ processDefinitionId: versions[0].id })).length === 2, 'the migration')
    assert.deepEqual(await keys({ processDefinitionId: versions[0].id }), ['trip-5', 'trip-6'])
    await done(page)
  })
})

describe('suspension', () => {
  it('of a version takes its instances, now or from a date', async () => {
    await start('trip-7', versions[1])
    const page = await open('#/definitions/waits/2')
    const suspend = async (date) => {
      await page.getByRole('button', { name: 'Suspend…' }).first().click()
      await page.locator('dialog').getByText('with its 1 running instance').waitFor()
      if (date) await page.locator('dialog').getByLabel(/^From/).fill(date)
      await page.locator('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    }
    const jobs = () => server.ask('POST', '/job', { processDefinitionId: versions[1].id })
    const before = (await jobs()).map((job) => job.id)
    await suspend('2999-01-01T12:00')
    const planned = await until(async () => (await jobs()).find((job) => !before.includes(job.id) && job.dueDate?.startsWith('2999-01-01')), 'the job that will suspend it')
    assert.equal(planned.processInstanceId, null)
    assert.equal((await server.ask('GET', `/process-definition/${versions[1].id}`)).suspended, false)
    await page.locator('dialog').waitFor({ state: 'detached' })
    await suspend()
    await until(async () => (await keys({ suspended: true })).includes('trip-7'), 'the suspension')
    assert.equal((await server.ask('GET', `/process-definition/${versions[1].id}`)).suspended, true)
    await done(page)
  })
})

describe('the nodes', () => {
  it('say what each thread is at, limit by rate, and suspend the jobs of an activity', async () => {
    await until(async () => (await server.ask('GET', '/orrery/threads')).some((each) => each.threads?.some((thread) => thread.activity_id === 'doze')), 'the job')
    const page = await open('#/nodes')
    const row = page.getByRole('region', { name: 'Threads' }).locator('tbody tr', { hasText: 'doze' })
    await row.first().waitFor()
    assert.match((await row.first().innerText()).replace(/\s+/g, ' '), /awaiting \d+ asleep doze doze .*\d\d:\d\d.*asleep\.lua:\d+/)
    await page.getByRole('button', { name: 'Set a limit…' }).click()
    await page.getByLabel('Topic of external tasks').fill('scales')
    await page.getByLabel('At once, at most').fill('')
    await page.getByLabel('Starts a second, at most').fill('0.5')
    await page.locator('dialog').getByRole('button', { name: 'Set', exact: true }).click()
    const limit = async () => (await server.ask('GET', '/orrery/limits'))[0]
    await until(async () => (await limit())?.perSecond === 0.5, 'the limit')
    await page.getByLabel('Starts at a stroke of scales').fill('3')
    await page.getByLabel('Limit of scales').fill('7')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await until(async () => (await limit()).max === 7, 'the change')
    assert.deepEqual(await limit(), { jobDefinitionId: null, topic: 'scales', key: null, perSecond: 0.5, max: 7, burst: 3 })
    const [{ id }] = await server.ask('GET', `/job-definition?processDefinitionId=${versions[2].id}&activityIdIn=book`)
    const held = await server.ask('GET', '/job-definition?suspended=true&activityIdIn=book') // with the version that was suspended
    await page.getByRole('button', { name: 'Suspend…' }).click()
    await page.locator('dialog').getByLabel('Job definition').selectOption(id)
    await page.locator('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByRole('region', { name: 'Suspended job definitions' }).getByText('Book it').nth(held.length).waitFor()
    await accessible(page, 'nodes')
    assert.equal((await server.ask('GET', `/job-definition/${id}`)).suspended, true)
    await done(page)
  })
})
