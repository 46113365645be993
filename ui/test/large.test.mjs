// Ten thousand instances and a model of a thousand nodes: the document holds what is in view, and the page stays fluent.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import path from 'node:path'
import { browse, folder, here, lua, serve, until } from './support.mjs'

const INSTANCES = 10000
const NODES = 1000
let server
let browser

before(async () => {
  const store = folder()
  lua(path.join(here, 'large/seed.lua'), store, INSTANCES)
  server = await serve(store, '--no-executor')
  browser = await browse()
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}

/** Tasks of the page's thread of more than 50 ms, in milliseconds, while `act` goes on. For the report: machines may be busy. */
async function longTasks(page, act) {
  await page.evaluate(() => {
    window.longTasks = []
    window.watching = new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map((entry) => Math.round(entry.duration))))
    window.watching.observe({ type: 'longtask' })
  })
  await act()
  return page.evaluate(() => {
    window.watching.disconnect()
    return window.longTasks
  })
}

describe(`${INSTANCES} instances`, () => {
  it('are one list, of which the rows in view are in the document', async (t) => {
    const page = await browser.page(`${server.url}/#/definitions/small/1?sort=businessKey:desc`)
    const table = page.locator('table[aria-rowcount]')
    const rows = page.locator('tbody tr:not(.space)')
    await rows.getByText(`item-${INSTANCES}`).waitFor()
    assert.equal(await table.getAttribute('aria-rowcount'), String(INSTANCES))
    assert.ok(await rows.count() < 100, 'rows in the document')
    const tasks = await longTasks(page, async () => {
      for (const share of [0.2, 0.4, 0.6, 0.8, 1]) {
        await page.locator('.rows').evaluate((box, part) => { box.scrollTop = box.scrollHeight * part }, share)
        await rows.first().waitFor()
        assert.ok(await rows.count() < 100, `rows in the document at ${share}`)
      }
      await rows.getByText('item-00001').waitFor()
    })
    t.diagnostic(`${tasks.length} long tasks while scrolling ${INSTANCES} rows, of at most ${Math.max(0, ...tasks)} ms`)
    await done(page)
  })

  it('are frozen and counted to the last one before they are acted on', async () => {
    const page = await browser.page(`${server.url}/#/definitions/small/1`)
    await page.locator('.list').getByRole('button', { name: 'Suspend…' }).click()
    const dialog = page.locator('dialog')
    await dialog.locator('strong', { hasText: `${INSTANCES.toLocaleString('en')} instances` }).waitFor()
    const asked = page.waitForRequest((each) => each.url().endsWith('/process-instance/suspended-async'))
    await page.route('**/process-instance/suspended-async', (route) => route.fulfill({ status: 200, contentType: 'application/json', body: '{"id":"0"}' }))
    await dialog.getByRole('button', { name: /^Suspend \d/ }).click()
    assert.equal(new Set((await asked).postDataJSON().processInstanceIds).size, INSTANCES)
    await done(page)
  })

  it('are found by a variable', async () => {
    const page = await browser.page(`${server.url}/#/instances?variables=${encodeURIComponent('n>=9990')}`)
    await page.locator('table[aria-rowcount="11"]').waitFor()
    await done(page)
  })
})

describe(`a model of ${NODES} nodes`, () => {
  it('is drawn whole, with its tokens; what stays the same is not drawn again', async (t) => {
    const page = await browser.page(`${server.url}/#/definitions/thousand/1`)
    await page.locator('.badge.run').first().waitFor()
    assert.ok(await page.locator('.djs-shape').count() >= NODES)
    assert.equal(await page.locator('.badge.run').count(), 25)
    const badge = await page.locator('.badge.run').first().elementHandle()
    const tasks = await longTasks(page, async () => {
      for (let i = 0; i < 5; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
      await page.locator('.diagram .canvas').hover()
      for (let i = 0; i < 10; i++) await page.mouse.wheel(60, 40)
      await page.getByRole('button', { name: 'Fit the diagram' }).click()
    })
    const [task] = await server.ask('GET', '/task?taskDefinitionKey=t25_1')
    await server.ask('POST', `/task/${task.id}/complete`, {})
    await page.locator('.djs-overlays[data-container-id="t25_2"] .badge.run').waitFor()
    assert.ok(await badge.evaluate((element) => element.isConnected), 'the badge of another element')
    const view = page.locator('.minimap .view')
    const was = await view.getAttribute('x')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.locator('.minimap').click({ position: { x: 5, y: 5 } })
    await until(async () => await view.getAttribute('x') !== was, 'the map to follow')
    t.diagnostic(`${tasks.length} long tasks while zooming and moving ${NODES} nodes, of at most ${Math.max(0, ...tasks)} ms`)
    await done(page)
  })

  it('shows an instance of it, and a click filters', async () => {
    const [instance] = await server.ask('POST', '/history/process-instance', { processDefinitionKey: 'thousand' })
    const page = await browser.page(`${server.url}/#/instances/${instance.id}?element=t3_1`)
    await page.locator('.badge.run').first().waitFor()
    await until(async () => await page.locator('.chosen').count() > 0, 'the chosen element')
    await done(page)
  })
})
