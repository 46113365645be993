// The page of people's tasks, on a phone, by keyboard alone: lists, forms of every kind, starting, what others must not see.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import path from 'node:path'
import { accessible } from './look.mjs'
import { browse, folder, here, serve, until } from './support.mjs'

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true }
const TABS_MAX = 80
const FAR = '2031-05-01T12:00:00.000+0000'

const MODELS = ['leave.bpmn', 'sign.bpmn', 'parcels.form', 'paper.html'].map((name) => path.join(here, 'tasks', name))

let browser
let server

before(async () => {
  const users = folder()
  const store = folder()
  const hash = execFileSync('orrery', ['serve', '--hash', '--token'], { input: 'orbit\n', encoding: 'utf8' }).trim()
  writeFileSync(users, `user ann task ${hash} clerks\nuser bob task ${hash} clerks\nuser carl task ${hash}\nuser boss operate,deploy ${hash}\n`)
  execFileSync('orrery', ['deploy', store, ...MODELS, '--create'])
  server = await serve(store, '--auth', users)
  server.credentials = `Basic ${Buffer.from('boss:orbit').toString('base64')}`
  browser = await browse()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

async function done(page) {
  assert.deepEqual(page.errors, [])
  assert.equal(await page.evaluate(() => window.hurt), undefined)
  await page.close()
}

/** What has the focus: its name as a reader says it, near enough. */
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement
  return (at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent ?? at.textContent ?? '').trim()
})

/** Presses Tab until what has the focus is called so. */
async function tabTo(page, name) {
  const seen = []
  for (let i = 0; i < TABS_MAX; i++) {
    await page.keyboard.press('Tab')
    const at = await focused(page)
    if (at.startsWith(name)) return
    seen.push(at.slice(0, 30))
  }
  throw new Error(`Tab never comes to ${name}, but to ${seen.join(' | ')}`)
}

/** Once it is there. */
async function press(page, name) {
  await page.locator('a, button, summary, input[type=submit]').filter({ hasText: name }).first().waitFor()
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

async function write(page, name, text) {
  await tabTo(page, name)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

async function login(user, hash = '') {
  const page = await browser.page(`${server.url}/tasks${hash}`, PHONE)
  await page.locator('dialog').getByLabel('Name').waitFor()
  await until(async () => await focused(page) === 'Name', 'the focus in the dialog')
  await page.keyboard.type(user)
  await page.keyboard.press('Tab')
  await page.keyboard.type('orbit')
  await page.keyboard.press('Enter')
  await page.locator('dialog').waitFor({ state: 'detached' })
  return page
}

const heading = (page, name) => page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
const said = (page, text) => page.locator('.notices').getByText(text).waitFor()

async function variables(instance) {
  const rows = await server.ask('GET', `/history/variable-instance?processInstanceId=${instance}`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

describe('on a phone, by keyboard alone', () => {
  it('a process is started with its form, which says what is wrong with it', async () => {
    const page = await login('ann')
    await heading(page, 'My tasks')
    await page.getByText('You have no tasks.').waitFor()
    await accessible(page, 'tasks-none')
    await press(page, 'Start')
    await heading(page, 'Start a process')
    await page.locator('.cards').getByText('Leave').waitFor()
    assert.equal(await page.locator('.cards li').count(), 1) // the other one is not for people
    await accessible(page, 'tasks-starts')
    await press(page, 'Leave')
    await heading(page, 'Leave')
    await page.getByLabel('How many days?').waitFor()
    assert.equal(await page.getByLabel('How many days?').inputValue(), '1')
    await accessible(page, 'tasks-start')
    await write(page, 'First day', 'in May')
    await press(page, 'Start')
    await page.locator('#form-error').getByText(/First day: "in May" is not a date.*dd\.MM\.yyyy/).waitFor()
    await until(async () => await focused(page) === 'First day', 'the focus on the field that is wrong')
    assert.equal(await page.getByLabel('First day').getAttribute('aria-invalid'), 'true')
    await accessible(page, 'tasks-wrong')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('24.12.2026')
    await write(page, 'How many days?', '5')
    await tabTo(page, 'Kind')
    await page.keyboard.press('ArrowDown')
    await press(page, 'Start')
    await said(page, '“Leave” has started.')
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=decide')
    const has = await variables(task.processInstanceId)
    assert.deepEqual([has.days, has.kind], [5, 'unpaid'])
    await done(page)
  })

  it('a task is taken, talked about, looked at, and done', async () => {
    const page = await login('ann', '#/groups')
    await press(page, 'Decide about the leave')
    await heading(page, 'Decide about the leave')
    assert.ok(await page.getByLabel('Why?').isDisabled()) // nobody's yet
    await press(page, 'Take it')
    await said(page, 'It is yours.')
    await until(() => page.evaluate(() => document.activeElement.id === 'main'), 'the focus, which is not lost with the button')
    await press(page, 'Comments')
    await write(page, 'Your comment', 'Five days are fine.')
    await page.keyboard.press('Enter')
    await page.locator('.said').getByText('Five days are fine.').waitFor()
    await press(page, 'Files')
    await page.getByLabel('A file to attach').setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') })
    await press(page, 'Attach')
    const [link] = await Promise.all([page.waitForEvent('download'), press(page, 'plan.txt')])
    assert.equal(link.suggestedFilename(), 'plan.txt')
    await press(page, 'What was done')
    await page.locator('.said').getByText(/took it/).waitFor()
    await press(page, 'Where the process is')
    await page.locator('.djs-container .badge').waitFor()
    await accessible(page, 'tasks-task')
    await page.reload() // Tab begins at the top again
    await page.getByLabel('Why?').waitFor()
    await write(page, 'Why?', 'so')
    await press(page, 'Done')
    await until(async () => await focused(page) === 'Why?', 'the focus on the field that is wrong') // the browser says why
    assert.equal(await page.getByLabel('Why?').evaluate((field) => field.validity.tooShort), true)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('so it is')
    await tabTo(page, 'Granted?')
    await page.keyboard.press('Space')
    await press(page, 'Done')
    await said(page, '“Decide about the leave” is done.')
    await page.getByText('There is nothing to take').waitFor()
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=told')
    const has = await variables(task.processInstanceId)
    assert.deepEqual([has.why, has.granted, has.days], ['so it is', true, 5])
    await done(page)
  })

  it('it is handed over and comes back, and gets a date', async () => {
    await server.ask('POST', '/task/create', { id: 'note', name: 'Write a note', assignee: 'ann', due: FAR })
    const page = await login('ann')
    await press(page, 'Write a note')
    await heading(page, 'Write a note')
    await press(page, 'When…')
    await tabTo(page, 'Save')
    await page.getByLabel('Show it to me again').fill('2030-01-01T08:00') // a browser's own field, with keys of its own
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await until(async () => (await server.ask('GET', '/task/note')).followUp, 'the date')
    assert.equal((await server.ask('GET', '/task/note')).due, FAR)
    await press(page, 'Hand it over…')
    await until(async () => await focused(page) === 'To', 'the focus in the dialog')
    await accessible(page, 'tasks-over')
    await page.keyboard.type('bob')
    await page.keyboard.press('Enter')
    await said(page, 'bob has it now')
    const other = await login('bob')
    await press(other, 'Write a note')
    await press(other, 'Hand it back')
    await said(other, 'is handed back to ann.')
    await done(other)
    await press(page, 'Done') // it has heard of it
    await said(page, '“Write a note” is done.')
    await done(page)
  })

  it('a Camunda Form is shown by its own viewer', async () => {
    const [definition] = await server.ask('GET', '/process-definition?key=sign')
    const { id } = await server.ask('POST', `/process-definition/${definition.id}/start`, {})
    const page = await login('ann')
    const loaded = []
    page.on('response', (response) => loaded.push(response.url()))
    await press(page, 'Count the parcels')
    await page.getByLabel('Parcels').waitFor()
    assert.ok(loaded.some((url) => /forms-\w+\.css/.test(url)))
    await write(page, 'Parcels', '12')
    await press(page, 'Submit')
    await page.getByText(/maximum value of 9|must have maximum/i).waitFor()
    await accessible(page, 'tasks-camunda')
    const mark = page.locator('.fjs-powered-by svg')
    await mark.scrollIntoViewIfNeeded()
    assert.ok(await mark.evaluate((drawn) => { // bpmn.io’s, uncovered
      const { left, top, width, height } = drawn.getBoundingClientRect()
      return drawn.parentElement.contains(document.elementFromPoint(left + width / 2, top + height / 2))
    }))
    await page.getByLabel('Parcels').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('7')
    await press(page, 'Submit')
    await said(page, '“Count the parcels” is done.')
    assert.equal((await variables(id)).parcels, 7)
    await done(page)
  })

  it('a form in HTML runs nothing of its own', async () => {
    const page = await login('ann')
    await press(page, 'Read the paper')
    await page.getByLabel('Pages').waitFor()
    assert.equal(await page.locator('.html-form').locator('script, style, img, svg, a, iframe, button, form').count(), 0)
    const names = await page.locator('.html-form *').evaluateAll((all) => [...new Set(all.flatMap((each) => each.getAttributeNames()))].sort())
    assert.deepEqual(names, ['cam-variable-name', 'cam-variable-type', 'for', 'id', 'min', 'required', 'type'])
    await accessible(page, 'tasks-html')
    await write(page, 'Pages', '3')
    await tabTo(page, 'Seen')
    await page.keyboard.press('Space')
    await press(page, 'Done')
    await said(page, '“Read the paper” is done.')
    const [ended] = await server.ask('GET', '/history/task?taskDefinitionKey=read')
    const has = await variables(ended.processInstanceId)
    assert.deepEqual([has.pages, has.seen], [3, true])
    // The browser's parser says so of each handler that it reads. None of them is in the page.
    page.errors = page.errors.filter((error) => !/inline event handler violates/.test(error))
    await done(page)
  })
})

describe('a list', () => {
  it('is searched, ordered and kept by a name, and hears of new tasks', async () => {
    const make = (name, more) => server.ask('POST', '/task/create', { name, assignee: 'carl', ...more })
    await make('Water the roses', { priority: 90, due: '2031-01-01T00:00:00.000+0000' })
    await make('Water the grass', { due: '2020-01-01T00:00:00.000+0000' })
    await make('Sweep', {})
    await make('Plant a tree', { followUp: FAR })
    const page = await login('carl')
    await page.connected
    const names = () => page.locator('.cards strong').allTextContents()
    await until(async () => (await names()).length === 3, 'the tasks')
    await page.getByLabel('also for later').check()
    await until(async () => (await names()).includes('Plant a tree'), 'what is put off')
    await page.getByLabel('also for later').uncheck()
    await until(async () => (await names()).length === 3, 'the tasks again')
    await accessible(page, 'tasks-list')
    await write(page, 'Search by name', 'Water')
    await page.keyboard.press('Enter')
    await until(async () => (await names()).join() === 'Water the grass,Water the roses', 'those that are due first')
    await page.getByLabel('Order').selectOption('priority:desc')
    await until(async () => (await names()).join() === 'Water the roses,Water the grass', 'the important ones first')
    await page.getByLabel('Due', { exact: true }).selectOption('over')
    await until(async () => (await names()).join() === 'Water the grass', 'those that are overdue')
    await press(page, 'Save view…')
    await until(async () => await focused(page) === 'Name', 'the focus in the dialog')
    await page.keyboard.type('Late water')
    await page.keyboard.press('Enter')
    await said(page, 'The view “Late water” is kept')
    await page.goto(`${server.url}/tasks#/mine`)
    await page.getByLabel('Saved views').selectOption('Late water')
    await until(async () => (await names()).join() === 'Water the grass', 'the saved view')
    await make('Water the trees', { due: '2020-01-01T00:00:00.000+0000' })
    await until(async () => (await names()).length === 2, 'the new task')
    await done(page)
  })

  it('shows nobody what is another’s', async () => {
    const page = await login('bob', '#/all')
    await page.getByText('Tell everybody').waitFor()
    assert.equal(await page.locator('.cards li').count(), 1)
    const [task] = await server.ask('GET', '/task?assignee=carl&maxResults=1')
    await page.goto(`${server.url}/tasks#/task/${task.id}`)
    await page.getByText('This task is not here for you').waitFor()
    await accessible(page, 'tasks-gone')
    await done(page)
  })
})

describe('on a server without users', () => {
  it('a name is asked for, and believed', async () => {
    const store = folder()
    execFileSync('orrery', ['deploy', store, ...MODELS, '--create'])
    const open = await serve(store)
    await open.ask('POST', '/task/create', { name: 'Ring the bell', assignee: 'dora' })
    const page = await browser.page(`${open.url}/tasks`, PHONE)
    await heading(page, 'Whose tasks?')
    await accessible(page, 'tasks-who')
    await write(page, 'Your name', 'dora')
    await page.keyboard.press('Enter')
    await press(page, 'Ring the bell')
    await press(page, 'Done')
    await said(page, '“Ring the bell” is done.')
    await done(page)
    await open.stop()
  })
})
