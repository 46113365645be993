// The daily things of an operator, in a real browser against a real server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { accessible } from './look.mjs'
import { browse, serve, shopStore, until } from './support.mjs'

let server
let browser

before(async () => {
  server = await serve(shopStore())
  browser = await browse()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

async function open(hash, options) {
  return browser.page(`${server.url}/${hash}`, options)
}

async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}

const failed = () => server.ask('POST', '/job', { noRetriesLeft: true })
const incidents = async (query = '') => server.ask('GET', `/incident?${query}`)

describe('an operator', () => {
  it('sees what is broken, by process, activity and message', async () => {
    const page = await open('#/')
    const rows = page.locator('section.page .rows').first().locator('tbody tr')
    await rows.filter({ hasText: 'no template for country JP' }).first().waitFor()
    const shown = (await rows.locator('td.num').allInnerTexts()).reduce((sum, n) => sum + Number(n.replace(/\D/g, '')), 0)
    assert.equal(shown, (await server.ask('GET', '/incident/count')).count)
    assert.ok((await rows.first().innerText()).includes('Send the'))
    await done(page)
  })

  it('opens one: the element is marked, the error has its traceback', async () => {
    const [incident] = await incidents('maxResults=1')
    const page = await open(`#/instances/${incident.processInstanceId}`)
    await page.locator('.badge.bad').first().waitFor()
    await page.getByRole('tab', { name: /Incidents/ }).click()
    await page.getByRole('button', { name: 'Traceback' }).click()
    assert.match(await page.locator('pre.trace').innerText(), /no template for country JP[\s\S]*traceback/)
    await done(page)
  })

  it('edits a variable and retries: the job runs, the incident goes', async () => {
    const [incident] = await incidents('activityId=invoice&maxResults=1')
    const id = incident.processInstanceId
    const page = await open(`#/instances/${id}?panel=variables`)
    const row = page.locator('tr', { has: page.locator('code', { hasText: /^address$/ }) })
    await row.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Value', { exact: true }).fill('Ghent')
    await page.getByLabel('Value', { exact: true }).press('Enter')
    await row.getByText('Ghent').waitFor()
    await page.getByRole('button', { name: 'Retry what failed' }).click()
    await page.getByText('1 job ran.').waitFor()
    await until(async () => (await incidents(`processInstanceId=${id}`)).length === 0, 'the end of the incident')
    await page.locator('.badge.bad').waitFor({ state: 'detached' })
    await done(page)
  })

  it('retries in bulk, with the exact count and a sample before', async () => {
    const jobs = await failed()
    const page = await open('#/jobs?state=failed')
    await page.getByRole('button', { name: /Retry all of the list/ }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('strong', { hasText: `${jobs.length} jobs` }).waitFor()
    await dialog.getByRole('button', { name: /^Retry \d/ }).click()
    await page.waitForURL(/#\/batches\//)
    await page.getByRole('heading', { name: 'Batches' }).waitFor()
    await done(page)
  })

  it('finds by business key and by a variable', async () => {
    const page = await open('#/')
    await page.locator('#search').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('order-0001')
    await page.keyboard.press('Enter')
    await page.waitForURL(/find=order-0001/)
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.locator('tbody').getByRole('link', { name: 'order-0001' }).first().waitFor()
    assert.equal(await page.locator('tbody tr', { hasNotText: 'order-0001' }).count(), 0)
    await page.getByLabel('Variables', { exact: true }).fill('address=Kyoto')
    await page.getByLabel('Business key or id').fill('')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.waitForURL(/address/)
    const expected = (await server.ask('POST', '/history/process-instance/count', { variables: [{ name: 'address', operator: 'eq', value: 'Kyoto' }] })).count
    await page.getByText(expected.toLocaleString(), { exact: true }).first().waitFor()
    await done(page)
  })

  it('sees where the tokens are', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=pack&maxResults=1')
    const page = await open(`#/instances/${task.processInstanceId}`)
    await page.locator('.djs-overlays[data-container-id="pack"] .badge.run').waitFor()
    await page.getByRole('tab', { name: /Tree/ }).click()
    await page.locator('.tree').getByRole('button', { name: 'Pack the goods' }).waitFor()
    await done(page)
  })

  it('sees what happened, and walks through it', async () => {
    const [instance] = await server.ask('POST', '/history/process-instance', { processDefinitionKey: 'order', finished: true })
    const page = await open(`#/instances/${instance.id}?panel=timeline`)
    await page.locator('tr', { hasText: 'Charge the card' }).first().waitFor()
    const slider = page.getByLabel('Walk through time')
    await slider.focus()
    await slider.press('Home')
    await page.waitForURL(/at=\d+/)
    await page.locator('.badge.run').first().waitFor()
    const first = await page.locator('.walk output').innerText()
    await slider.press('End')
    assert.notEqual(await page.locator('.walk output').innerText(), first)
    await done(page)
  })

  it('sees whose the failed jobs are, and where they failed', async () => {
    const [job] = await server.ask('POST', '/job', { noRetriesLeft: true, sorting: [{ sortBy: 'jobDueDate', sortOrder: 'asc' }] })
    const instance = await server.ask('GET', `/process-instance/${job.processInstanceId}`)
    const page = await open('#/jobs?state=failed')
    const row = page.locator('main tbody tr', { has: page.getByRole('link', { name: instance.businessKey ?? instance.id, exact: true }) }).first()
    await row.waitFor()
    assert.match(await row.innerText(), /(Order|Take goods back|Restock the shelves|Approve a purchase) \d/)
    assert.match(await row.innerText(), /Send the|Charge the|Order from|Pay the|Place the/)
    await done(page)
  })

  it('reads times as its own, also in what the engine says', async () => {
    const page = await open('#/')
    const said = page.locator('section.page .rows').last().locator('tbody tr', { hasText: 'to be tried again at' }).first().locator('.message')
    await said.waitFor()
    assert.doesNotMatch(await said.innerText(), /\d{4}-\d\d-\d\dT/)
    assert.match(await said.locator('time').first().getAttribute('title'), /^\d{4}-\d\d-\d\dT[\d:.]+Z/)
    await done(page)
  })

  it('sees what was decided, however often', async () => {
    const page = await open('#/decisions/discount/1')
    const { count } = await server.ask('GET', '/history/decision-instance/count?decisionDefinitionKey=discount')
    assert.ok(count > 24)
    await until(async () => await page.locator('.rows tbody tr:not(.space):not(.coming)').count() > 24, 'the decisions')
    assert.equal(await page.getByRole('alert').count(), 0)
    await done(page)
  })

  it('reads the keys of ended instances beside a diagram', async () => {
    const page = await open('#/definitions/order/1?state=ended')
    const key = page.locator('.rows tbody a').first()
    await key.waitFor()
    assert.ok(await key.evaluate((link) => link.closest('td').scrollWidth <= link.closest('td').clientWidth), 'the key is cut')
    await done(page)
  })

  it('sees boundary events, which no badge covers', async () => {
    const page = await open('#/definitions/order/2')
    await page.locator('.badge.bad').first().waitFor()
    const covered = await page.evaluate(() => {
      const box = (element) => element.getBoundingClientRect()
      const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
      const badges = [...document.querySelectorAll('.badges')].map(box)
      return ['declined', 'silent'].filter((id) => badges.some((each) => over(each, box(document.querySelector(`[data-element-id="${id}"] .djs-visual`)))))
    })
    assert.deepEqual(covered, [])
    await done(page)
  })

  it('asks why a job waits', async () => {
    const page = await open('#/jobs?state=waiting&sort=jobDueDate:desc') // those due first may run meanwhile
    await page.getByRole('button', { name: 'Why?' }).first().click()
    await page.locator('.why strong').waitFor()
    assert.match(await page.locator('.why strong').innerText(), /due|tried again|timer|wait/i)
    await done(page)
  })

  it('suspends an instance, lets it go on, and cancels it with a reason', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=pack&maxResults=1')
    const id = (await server.ask('GET', `/process-instance/${task.processInstanceId}`)).id
    const page = await open(`#/instances/${id}`)
    await page.getByRole('button', { name: 'Suspend' }).click()
    await page.locator('h1 .state', { hasText: 'suspended' }).waitFor()
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.locator('h1 .state', { hasText: 'suspended' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel…' }).click()
    await page.getByLabel('Reason').fill('ordered twice')
    await page.getByRole('button', { name: 'Cancel the instance' }).click()
    const ended = await until(async () => {
      const past = await server.ask('GET', `/history/process-instance/${id}`)
      return past.endTime && past
    }, 'the end of the instance')
    assert.equal(ended.deleteReason, 'ordered twice')
    await done(page)
  })

  it('moves a token by clicking its target, and sees the instructions before', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=pack&maxResults=1')
    const id = task.processInstanceId
    const page = await open(`#/instances/${id}`)
    await page.locator('.badge.run').first().waitFor()
    await page.getByRole('button', { name: 'Move a token…' }).click()
    await page.locator('[data-element-id="pickup"]').first().click()
    await page.locator('.move li', { hasText: 'Pick-up' }).waitFor()
    await page.locator('.move li', { hasText: 'Pack the goods' }).waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await until(async () => (await server.ask('GET', `/process-instance/${id}/activity-instances`)).childActivityInstances
      .some((child) => child.activityId === 'pickup'), 'the token')
    await page.locator('.djs-overlays[data-container-id="pickup"] .badge.run').waitFor()
    await done(page)
  })

  it('migrates to a new version, with both drawings', async () => {
    const [old, latest] = await server.ask('GET', '/process-definition?key=order&sortBy=version&sortOrder=asc')
    const before = (await server.ask('POST', '/process-instance/count', { processDefinitionId: old.id })).count
    assert.ok(before > 0)
    const page = await open(`#/migrate/${old.id}/${latest.id}`)
    await page.getByLabel('Target of Charge the card').waitFor()
    assert.equal(await page.locator('.diagram').count(), 2)
    await page.getByRole('button', { name: /^Migrate \d/ }).click()
    await page.locator('dialog').getByRole('button', { name: /^Migrate \d/ }).click()
    await until(async () => (await server.ask('POST', '/process-instance/count', { processDefinitionId: old.id })).count === 0, 'the migration')
    await done(page)
  })

  it('claims a task, gives it to another, and completes it with its form', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=check&unassigned=true&active=true&maxResults=1')
    const page = await open(`#/tasks/${task.id}`)
    await page.locator('article.task').getByLabel('Person').fill('ann')
    await page.getByRole('button', { name: 'Claim' }).click()
    await until(async () => (await server.ask('GET', `/task/${task.id}`)).assignee === 'ann', 'the claim')
    await page.locator('article.task').getByLabel('Person').fill('joe')
    await page.getByRole('button', { name: 'Assign', exact: true }).click()
    await until(async () => (await server.ask('GET', `/task/${task.id}`)).assignee === 'joe', 'the assignee')
    await page.getByRole('button', { name: 'Complete' }).click()
    await page.getByText('is complete.').waitFor()
    await until(async () => (await server.ask('GET', `/task?processInstanceId=${task.processInstanceId}`)).length === 0, 'the end of the task')
    await done(page)
  })

  it('leaves who has gone elsewhere meanwhile where he is', async () => {
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=check&unassigned=true&active=true&maxResults=1')
    const page = await open(`#/tasks/${task.id}`)
    let answer
    const asked = new Promise((resolve) => page.route('**/complete', (route) => {
      answer = () => route.continue()
      resolve()
    }))
    await page.getByRole('button', { name: 'Complete' }).click()
    await asked
    await page.goto(`${server.url}/#/deployments`)
    await page.getByRole('heading', { name: 'Deployments', exact: true }).waitFor()
    answer()
    await page.getByText('is complete.').waitFor()
    assert.match(page.url(), /#\/deployments$/)
    await done(page)
  })
})

describe('the page', () => {
  const pages = ['#/', '#/definitions', '#/definitions/order/1', '#/instances', '#/jobs', '#/tasks', '#/decisions', '#/decisions/discount/1',
    '#/batches', '#/deployments', '#/nodes']

  it('has no fault that axe finds, in light and in dark', async () => {
    const context = await browser.tabs()
    for (const hash of pages) {
      const page = await open(hash, { context })
      await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
      await accessible(page, `page${hash.replace(/\W+/g, '-')}`)
      await done(page)
    }
  })

  it('shows bpmn.io’s mark, uncovered', async () => {
    const page = await open('#/definitions/order/1')
    const mark = page.locator('.bjs-powered-by')
    await mark.waitFor()
    const on = await mark.evaluate((link) => {
      const { left, top, width, height } = link.getBoundingClientRect()
      return link.contains(document.elementFromPoint(left + width / 2, top + height / 2))
    })
    assert.ok(on)
    await done(page)
  })

  it('shows hostile names and values as text', async () => {
    const hostile = '<img src=x onerror="window.hurt=1">'
    const [definition] = await server.ask('GET', '/process-definition?key=quote')
    const made = await server.ask('POST', `/process-definition/${definition.id}/start`, { businessKey: hostile,
      variables: { [hostile]: { type: 'String', value: hostile }, customer: { type: 'String', value: 'private' }, total: { type: 'Integer', value: 1 } } })
    for (const hash of [`#/instances/${made.id}?panel=variables`, '#/instances', `#/instances?find=${encodeURIComponent('<img')}`]) {
      const page = await open(hash)
      await page.getByText(hostile).first().waitFor()
      assert.equal(await page.evaluate(() => window.hurt), undefined)
      assert.equal(await page.locator('main img').count(), 0)
      await done(page)
    }
  })

  it('lays out a model without a drawing', async () => {
    const page = await open('#/definitions/quote/1')
    await page.locator('[data-element-id="rate"]').first().waitFor()
    assert.equal(await page.locator('.djs-connection').count(), 3) // its nodes do not name their flows themselves
    await done(page)
  })

  it('says that the server is not heard, and mends itself', async () => {
    const page = await open('#/')
    await page.getByText('running instances').waitFor()
    await page.connected
    await server.stop('SIGKILL')
    await page.getByText(/The server is not heard/).waitFor()
    await server.start()
    await page.getByText(/The server is not heard/).waitFor({ state: 'detached' })
    await done(page)
  })

  it('keeps what is being edited, and what is to be confirmed, when it hears the server again', async () => {
    const own = await serve(shopStore(), '--no-executor')
    const heardAgain = async (page) => {
      const again = []
      await page.connected
      await own.stop('SIGKILL')
      await page.getByText(/The server is not heard/).waitFor()
      const asked = page.waitForResponse(/process-instance\/count|orrery\/tasks|\/task\b/) // with what else is fetched again
      page.on('request', (request) => again.push(request.url()))
      await own.start()
      await asked
      assert.deepEqual(again.filter((url) => /generate|history\/process-instance(?!\/count)|variables/.test(url)), [])
    }
    const [old, latest] = await own.ask('GET', '/process-definition?key=order&sortBy=version&sortOrder=asc')
    const plan = await browser.page(`${own.url}/#/migrate/${old.id}/${latest.id}`)
    const target = plan.getByLabel('Target of Order delivered')
    await target.selectOption('')
    await plan.getByRole('button', { name: /^Migrate \d/ }).click()
    const sample = plan.locator('dialog strong')
    const before = await sample.innerText()
    const [instance] = await own.ask('POST', '/process-instance', { processDefinitionId: old.id })
    await own.ask('DELETE', `/process-instance/${instance.id}`)
    await heardAgain(plan)
    assert.equal(await target.inputValue(), '')
    assert.equal(await sample.innerText(), before)
    await done(plan)

    const [task] = await own.ask('GET', '/task?taskDefinitionKey=check&unassigned=true&active=true&maxResults=1')
    const form = await browser.page(`${own.url}/#/tasks/${task.id}`)
    const field = form.locator('article.task form').getByLabel('Value of variable 1')
    await field.fill('typed, not yet sent')
    await heardAgain(form)
    assert.equal(await field.inputValue(), 'typed, not yet sent')
    await done(form)
    await own.stop()
  })

  it('fetches again what a change concerns, and nothing else', async () => {
    const quiet = await serve(shopStore(), '--no-executor') // so that nothing else changes
    const [task] = await quiet.ask('GET', '/task?taskDefinitionKey=check&unassigned=true&active=true&maxResults=1')
    const page = await browser.page('about:blank')
    let asked = []
    let ended = 0
    const figuresAt = '/engine-rest/orrery/figures'
    const named = (request) => new URL(request.url()).pathname
    page.on('request', (request) => asked.push(named(request)))
    for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => { if (named(request) === figuresAt) ended++ })
    await page.goto(`${quiet.url}/#/`)
    await page.getByText('What is stuck, and why').waitFor()
    await page.connected
    // Figures are fetched once when the page is shown, and once more when it begins to listen: neither is a change's.
    await until(() => ended >= 2 && ended === asked.filter((each) => each === figuresAt).length, 'the first figures')
    asked = []
    const change = async (action, body) => {
      const figures = page.waitForResponse((response) => response.url().endsWith('/orrery/figures'))
      await quiet.ask('POST', `/task/${task.id}/${action}`, body)
      await figures
    }
    for (const action of ['claim', 'unclaim', 'claim', 'unclaim']) await change(action, { userId: 'ann' })
    asked = asked.map((at) => at.replace('/engine-rest/orrery/', ''))
    const times = (what) => asked.filter((each) => each === what).length
    assert.deepEqual(asked.filter((each) => !['figures', 'incident-groups', 'stuck'].includes(each)), [])
    assert.ok(times('figures') >= 4, asked.join())
    // Once more at most: these may have begun later than the figures.
    assert.ok(times('incident-groups') <= 1 && times('stuck') <= 1, asked.join())
    await done(page)
    await quiet.stop()
  })

  it('learns what changed before it began to listen', async () => {
    const quiet = await serve(shopStore(), '--no-executor')
    const [definition] = await quiet.ask('GET', '/process-definition?key=quote')
    const page = await browser.page('about:blank')
    let go
    const changed = new Promise((resolve) => { go = resolve })
    await page.addInitScript(() => { delete window.SharedWorker }) // as browsers without one do, and so that its stream can be held
    await page.route(/orrery\/events/, async (route) => { // its events begin only after the change
      await changed
      await route.continue()
    })
    await page.goto(`${quiet.url}/#/`)
    const figure = page.locator('.figure', { hasText: 'running instances' }).locator('strong')
    const before = await figure.textContent()
    await quiet.ask('POST', `/process-definition/${definition.id}/start`, { variables: { customer: { value: 'private' },
      total: { type: 'Integer', value: 1 } } })
    go()
    await page.waitForFunction((old) => [...document.querySelectorAll('.figure')].some((at) => at.textContent.includes('running instances')
      && at.querySelector('strong').textContent !== old), before)
    await done(page)
    await quiet.stop()
  })

  it('learns what changed while it went from one page to another', async () => {
    const [definition] = await server.ask('GET', '/process-definition?key=quote')
    const made = await server.ask('POST', `/process-definition/${definition.id}/start`, { businessKey: 'between',
      variables: { customer: { value: 'private' }, total: { type: 'Integer', value: 1 } } })
    const page = await open('#/')
    await page.connected
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate((id) => { location.hash = `#/instances/${id}?panel=variables` }, made.id)
    await page.locator('code', { hasText: /^customer$/ }).waitFor()
    await server.ask('PUT', `/process-instance/${made.id}/variables/late`, { value: 'news' })
    await page.locator('code', { hasText: /^late$/ }).waitFor()
    await done(page)
  })

  it('is told of a change, and asks for nothing meanwhile', async () => {
    const page = await open('#/')
    const figure = page.locator('.figure', { hasText: 'running instances' }).locator('strong')
    await figure.waitFor()
    await page.connected
    const now = Number((await figure.innerText()).replace(/\D/g, ''))
    const [definition] = await server.ask('GET', '/process-definition?key=quote')
    await server.ask('POST', `/process-definition/${definition.id}/start`, { variables: { customer: { value: 'private' }, total: { type: 'Integer', value: 5 } } })
    await until(async () => Number((await figure.innerText()).replace(/\D/g, '')) === now + 1, 'the new figure')
    await done(page)
  })
})
