// What is acted on is what is in the list, and what is shown before is what is acted on.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { browse, serve, shopStore, until } from './support.mjs'

let server
let browser

before(async () => {
  server = await serve(shopStore(), '--no-executor')
  browser = await browse()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

const open = (hash, options) => browser.page(`${server.url}/${hash}`, options)

async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}

const history = (query) => server.ask('POST', '/history/process-instance', query)
const failedJobs = (query) => server.ask('POST', '/job', { noRetriesLeft: true, ...query })
const kyoto = { variables: [{ name: 'address', operator: 'eq', value: 'Kyoto' }] }
const ids = (rows) => rows.map((row) => row.id).sort()

/** The body of the request that `act` makes the page send to a path. */
async function sent(page, path, act) {
  const request = page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith(path))
  await page.route(`**${path}`, (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"id":"0"}' }))
  await act()
  return (await request).postDataJSON()
}

async function retryAll(page) {
  await page.getByRole('button', { name: 'Retry…' }).click()
  const dialog = page.locator('dialog')
  await dialog.locator('strong').waitFor()
  const shown = Number((await dialog.locator('strong').innerText()).replace(/\D/g, ''))
  const body = await sent(page, '/job/retries', () => dialog.getByRole('button', { name: /^Retry \d/ }).click())
  return { shown, jobs: [...body.jobIds].sort() }
}

describe('a bulk action', () => {
  it('retries the failed jobs of the instances that a variable finds, and no others', async () => {
    const wanted = await history({ ...kyoto, unfinished: true })
    const expected = ids(await failedJobs({ processInstanceIds: wanted.map((row) => row.id) }))
    assert.ok(expected.length > 0 && expected.length < (await failedJobs()).length)
    const page = await open('#/instances?variables=address%3DKyoto')
    assert.deepEqual(await retryAll(page), { shown: expected.length, jobs: expected })
    await done(page)
  })

  it('retries those of the chosen activity and version alone', async () => {
    const [definition] = await server.ask('GET', '/process-definition?key=order&version=2')
    const wanted = await history({ processDefinitionId: definition.id, unfinished: true, activityIdIn: ['pay'] })
    const expected = ids(await failedJobs({ processInstanceIds: wanted.map((row) => row.id) }))
    assert.ok(expected.length > 0 && expected.length < (await failedJobs({ processDefinitionId: definition.id })).length)
    const page = await open('#/definitions/order/2?activity=pay')
    assert.deepEqual(await retryAll(page), { shown: expected.length, jobs: expected })
    await done(page)
  })

  it('of a list of all instances acts on those that run', async () => {
    const expected = ids(await history({ ...kyoto, unfinished: true }))
    assert.ok((await history(kyoto)).length >= expected.length)
    const page = await open('#/instances?variables=address%3DKyoto&state=all')
    await page.getByRole('button', { name: 'Suspend…' }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('strong', { hasText: `${expected.length} instances` }).waitFor()
    const body = await sent(page, '/process-instance/suspended-async', () => dialog.getByRole('button', { name: /^Suspend \d/ }).click())
    assert.deepEqual([...body.processInstanceIds].sort(), expected)
    await done(page)
  })

  it('acts on the selection, which a change of the list takes away', async () => {
    const page = await open('#/instances?find=order')
    await page.locator('tbody input[type=checkbox]').first().check()
    await page.getByText('1 instance selected').waitFor()
    await page.getByLabel('Variables', { exact: true }).fill('address=Kyoto')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('all of the list:').waitFor()
    await done(page)
  })

  it('of a group of incidents takes as many jobs as the group counts', async () => {
    const { groups } = await server.ask('GET', '/orrery/incident-groups')
    const page = await open('#/')
    for (const group of groups) {
      const row = page.locator('section.page .rows').first().locator('tbody tr', { hasText: group.message }).filter({ hasText: `${group.definitionName} ${group.version}` })
      await row.getByRole('button', { name: 'Retry…' }).click()
      const dialog = page.locator('dialog')
      const noun = group.type === 'failedExternalTask' ? 'external task' : 'job'
      await dialog.getByText(`${group.count} ${noun}${group.count === 1 ? '' : 's'}`, { exact: true }).waitFor()
      await dialog.getByRole('button', { name: 'Leave them' }).click()
    }
    await done(page)
  })
})

describe('a batch', () => {
  it('says what went well and what was gone before its turn', async () => {
    const store = shopStore()
    let other = await serve(store, '--no-executor')
    try {
      const [quote, gone] = await other.ask('POST', '/process-instance', { processDefinitionKey: 'quote', active: true })
      const batch = await other.ask('POST', '/process-instance/suspended-async', { processInstanceIds: [quote.id, gone.id], suspended: true })
      await other.ask('DELETE', `/process-instance/${gone.id}`)
      await other.stop()
      other = await serve(store)
      const page = await browser.page(`${other.url}/#/batches/${batch.id}`)
      const row = page.locator('[aria-label="Ended batches"] tbody tr', { hasText: batch.id })
      await row.waitFor()
      const cells = (await row.locator('td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
      assert.deepEqual(cells.slice(1, 5), ['suspend or activate instances', '✓ completed', '1', '↷ 1'])
      await done(page)
    } finally {
      await other.stop()
    }
  })
})

describe('the page', () => {
  it('says why a job waits, and what would help', async () => {
    const [job] = await failedJobs()
    const why = await server.ask('GET', `/orrery/why?jobId=${job.id}`)
    const page = await open(`#/jobs?ids=${job.id}`)
    await page.getByRole('button', { name: 'Why?' }).click()
    await page.locator('.why').getByText(why.text).waitFor()
    await page.locator('.why').getByText(why.cure).waitFor()
    await done(page)
  })

  it('sets a limit, changes it, and takes it away', async () => {
    const page = await open('#/nodes')
    await page.getByRole('button', { name: 'Set a limit…' }).click()
    await page.getByLabel('Topic of external tasks').fill('pay')
    await page.getByLabel('At once, at most').fill('3')
    await page.locator('dialog').getByRole('button', { name: 'Set', exact: true }).click()
    const limits = () => server.ask('GET', '/orrery/limits')
    await until(async () => (await limits())[0]?.max === 3, 'the limit')
    await page.getByLabel('Limit of pay').fill('5')
    await page.getByRole('button', { name: 'Set', exact: true }).click()
    await until(async () => (await limits())[0]?.max === 5, 'the change')
    await page.getByRole('button', { name: 'Take away' }).click()
    await until(async () => (await limits()).length === 0, 'the end of the limit')
    await page.mouse.move(2, 2) // under the pointer the list keeps it
    await page.getByText(/None is set/).waitFor()
    await done(page)
  })

  it('says how to get an executor where there is none', async () => {
    const page = await open('#/nodes')
    await page.getByText(/No executor runs on this store, so that jobs wait/).waitFor()
    await done(page)
  })

  it('names the executors, and what they are at', async () => {
    const other = await serve(shopStore())
    try {
      const [executor] = await until(async () => {
        const all = await other.ask('GET', '/orrery/executors')
        return all[0]?.room && all
      }, 'an executor with room')
      const page = await browser.page(`${other.url}/#/nodes`)
      const row = page.locator('[aria-label="Executors"] tbody tr', { hasText: executor.owner })
      await row.waitFor()
      assert.deepEqual((await row.locator('td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ')).slice(0, 5),
        [executor.host, String(executor.pid), '● at work', String(executor.jobs.length), executor.room.toLocaleString('en')])
      await done(page)
    } finally {
      await other.stop()
    }
  })
})
