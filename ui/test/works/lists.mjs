// Lists and panels: they hold still under the hand, tell things in the engine's order, stay short, and lose no digit.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../support.mjs'
import { done, open, server } from './server.mjs'

const MANY = 150 // rows, more than a panel shows at once
const keysOf = async (page) => (await page.locator('main tbody tr:not(.space) a').allInnerTexts()).map((text) => text.trim())

describe('a list under the hand', () => {
  it('stays as it is while the pointer is in it; what is new is counted, and comes when it leaves', async () => {
    for (const key of ['kept-1', 'kept-2', 'kept-3']) await server.begin('count', {}, key)
    const page = await open('#/instances')
    const rows = page.locator('main tbody tr:not(.space)')
    await rows.nth(2).waitFor()
    await page.connected
    const before = await keysOf(page)
    const aimed = rows.filter({ hasText: 'kept-2' })
    await aimed.hover()
    const place = await aimed.boundingBox()
    const news = page.locator('.news button')
    for (let i = 1; i <= 2; i++) {
      await server.begin('count', {}, `new-${i}`)
      await news.filter({ hasText: `${i} new` }).waitFor()
    }
    assert.deepEqual(await keysOf(page), before)
    assert.deepEqual(await aimed.boundingBox(), place)

    const [gone] = await server.ask('POST', '/process-instance', { businessKey: 'kept-1' })
    await server.ask('DELETE', `/process-instance/${gone.id}`)
    await page.locator('tr.gone', { hasText: 'kept-1' }).waitFor()
    assert.deepEqual(await aimed.boundingBox(), place)

    await page.mouse.move(2, 2)
    await rows.filter({ hasText: 'new-2' }).waitFor()
    await rows.filter({ hasText: 'kept-1' }).waitFor({ state: 'detached' })
    await done(page)
  })

  it('stays while rows are selected', async () => {
    const page = await open('#/instances')
    await page.locator('tbody input[type=checkbox]').first().check()
    await page.mouse.move(2, 2)
    await page.connected
    const before = await keysOf(page)
    await server.begin('count', {}, 'late')
    await page.locator('.news button', { hasText: '1 new' }).click()
    await page.mouse.move(2, 2)
    await page.locator('tbody tr', { hasText: 'late' }).waitFor()
    assert.deepEqual((await keysOf(page)).slice(1), before)
    await page.getByText('1 instance selected').waitFor()
    await done(page)
  })
})

describe('an instance', () => {
  it('tells its timeline in the engine’s order, within a millisecond too', async () => {
    const id = await server.begin('count')
    const page = await open(`#/instances/${id}?panel=timeline`)
    await page.route('**/history/**', async (route) => { // as of an instance that did it all at once
      const response = await route.fetch()
      const same = (await response.text()).replace(/\d{4}-\d\d-\d\dT[\d:.]+\+0000/g, '2026-01-01T12:00:00.000+0000')
      await route.fulfill({ response, body: same })
    })
    await page.reload()
    const rows = page.locator('[aria-label="Timeline"] tbody tr')
    await rows.filter({ hasText: 'four' }).waitFor()
    await rows.filter({ hasText: /set\s*n/ }).nth(1).waitFor()
    const told = (await rows.evaluateAll((all) => all.map((tr) => [1, 2].map((i) => tr.cells[i].innerText).join(' ')))).reverse()
    assert.deepEqual(told, ['entered one', 'left one', 'entered two', 'set n', 'left two', 'entered three', 'entered inner', 'left inner',
      'entered inmost', 'set n', 'left inmost', 'left three', 'entered four'])
    await done(page)
  })

  it('shows some of many variables, and more on request; on a phone its lists stay short', async () => {
    const many = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`v${String(i).padStart(3, '0')}`, { value: i }]))
    const id = await server.begin('count', many)
    const page = await open(`#/instances/${id}?panel=variables`)
    const rows = page.locator('[aria-label="Variables"] tbody tr')
    await rows.first().waitFor()
    assert.equal(await rows.count(), 100)
    await page.getByRole('button', { name: /^Show 51 more/ }).click()
    await rows.nth(MANY).waitFor()
    assert.equal(await rows.count(), MANY + 1) // with that of its model
    await done(page)

    await Promise.all(Array.from({ length: MANY }, (_, i) => server.begin('count', {}, `small-${i}`)))
    const phone = await open('#/instances', { viewport: { width: 390, height: 800 } })
    const list = phone.locator('main tbody tr:not(.space)')
    await list.first().waitFor()
    await phone.locator('tr.space').waitFor({ state: 'attached' })
    assert.ok(await list.count() < 100, 'rows in the document')
    await done(phone)
  })
})

describe('a value', () => {
  const OBJECT = { objectTypeName: 'works.Plate', serializationDataFormat: 'application/json' }
  const WIDE = '9007199254740993'
  const variable = async (id, name) => server.ask('GET', `/process-instance/${id}/variables/${name}?deserializeValue=false`)
  const textOf = async (id, name) => (await (await fetch(`${server.url}/engine-rest/process-instance/${id}/variables/${name}`)).text())

  async function edit(page, name) {
    const row = page.locator('[aria-label="Variables"] tr', { has: page.locator('code', { hasText: new RegExp(`^${name}$`) }) })
    await row.getByRole('button', { name: 'Edit' }).click()
    return { row, value: page.getByLabel('Value', { exact: true }) }
  }

  it('keeps its type and its digits when it is edited', async () => {
    const id = await server.begin('count', { plate: { type: 'Object', value: '{"w":1}', valueInfo: OBJECT }, wide: { type: 'Long', value: WIDE } })
    const page = await open(`#/instances/${id}?panel=variables`)
    await page.locator('code', { hasText: new RegExp(`^${WIDE}$`) }).waitFor()
    const wide = await edit(page, 'wide')
    assert.equal(await wide.value.inputValue(), WIDE)
    await wide.value.fill('9007199254740995')
    await wide.row.getByRole('button', { name: 'Save' }).click()
    await wide.value.waitFor({ state: 'detached' })
    assert.match(await textOf(id, 'wide'), /"value":9007199254740995\b/)

    const plate = await edit(page, 'plate')
    await plate.value.fill('{"w":2}')
    await plate.row.getByRole('button', { name: 'Save' }).click()
    await plate.value.waitFor({ state: 'detached' })
    const now = await variable(id, 'plate')
    assert.deepEqual([now.type, now.value, now.valueInfo], ['Object', '{"w":2}', OBJECT])
    await done(page)
  })

  it('that changes while it is edited is told', async () => {
    const id = await server.begin('count', { size: { type: 'Integer', value: 1 } })
    const page = await open(`#/instances/${id}?panel=variables`)
    await page.connected
    const { row, value } = await edit(page, 'size')
    await value.fill('2')
    await server.ask('PUT', `/process-instance/${id}/variables/size`, { type: 'Integer', value: 7 })
    await row.getByText('It has changed meanwhile').waitFor()
    await row.getByRole('button', { name: 'Edit that' }).click()
    assert.equal(await value.inputValue(), '7')

    await page.route('**/variable-instance?*', (route) => route.abort()) // now the page is not told
    await server.ask('PUT', `/process-instance/${id}/variables/size`, { type: 'Integer', value: 8 })
    await value.fill('3')
    await row.getByRole('button', { name: 'Save' }).click()
    await row.getByText('It has changed meanwhile').waitFor()
    assert.equal((await variable(id, 'size')).value, 8)
    await row.getByRole('button', { name: 'Save nevertheless' }).click()
    await until(async () => (await variable(id, 'size')).value === 3, 'the value')
    await done(page)
  })
})

describe('the page', () => {
  it('says on its buttons what they do, and shows red only what destroys', async () => {
    const page = await open('#/instances?find=kept')
    const { count } = await server.ask('POST', '/history/process-instance/count', { processInstanceBusinessKeyLike: '%kept%', unfinished: true })
    await page.getByRole('button', { name: 'Cancel…' }).click()
    const dialog = page.locator('dialog')
    await dialog.getByRole('button', { name: `Cancel ${count} instances`, exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Keep them running' }).click()
    await dialog.waitFor({ state: 'detached' })
    const red = await page.locator('button.danger').allInnerTexts()
    assert.deepEqual(red, ['Cancel…'])
    await done(page)
  })

  it('shows the day of times, and counts on when an executor was seen', async () => {
    await server.ask('PUT', '/orrery/limits', { topic: 'spray', max: 3 })
    const page = await open('#/instances', {}) // all tabs of a browser have one clock
    const day = new Date().toLocaleDateString('en', { month: 'short' })
    assert.match(await page.locator('main tbody time').first().innerText(), new RegExp(day))
    await page.clock.install()
    await page.goto(`${server.url}/#/nodes`)
    const seen = page.locator('[aria-label="Executors"] tbody td', { hasText: /\d s ago/ })
    await seen.waitFor()
    assert.equal(await page.locator('button.danger').count(), 0)
    const before = parseInt(await seen.innerText(), 10)
    await page.clock.runFor(5000)
    await until(async () => parseInt(await seen.innerText(), 10) >= before + 4, 'later')
    await done(page)
  })

  it('prints its content, whole, and not what only a screen can use', async () => {
    const page = await open('#/instances')
    await page.locator('main tbody tr').first().waitFor()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.locator('.top').isVisible(), false)
    assert.equal(await page.getByRole('button', { name: 'Cancel…' }).isVisible(), false)
    const [box, table] = await page.evaluate(() => ['.rows', '.rows table'].map((at) => document.querySelector(at).getBoundingClientRect().height))
    assert.ok(box >= table, `${box} of ${table}`)
    await done(page)
  })
})
