// The table of nodes: an executor of another process, what it is at and takes, while it works, stops, and when it was killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { browse, folder, here, lua, serve, until } from './support.mjs'

let browser

before(async () => {
  browser = await browse()
})

after(() => browser?.close())

describe('the table of nodes', () => {
  let server, worker, gate

  before(async () => {
    const store = folder()
    const script = path.join(here, 'shop/hold.lua')
    gate = folder()
    writeFileSync(gate, '')
    lua(script, store)
    server = await serve(store, '--no-executor')
    worker = spawn('orrery', ['work', store, '--lua', script, '--threads', '2', '--owner', 'night', '--priority-min', '-5', '--queue-size', '30'],
      { stdio: 'ignore', env: { ...process.env, ORRERY_GATE: gate } })
    worker.ended = new Promise((resolve) => worker.once('exit', resolve))
  })

  after(async () => {
    rmSync(gate, { force: true })
    worker?.kill('SIGKILL')
    await server?.stop()
  })

  const nodes = () => server.ask('GET', '/orrery/nodes')
  const cells = async (page) => (await page.locator('tbody tr', { hasText: 'night' }).locator('td').allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim())

  /** The node's row, once the page shows it in this state. */
  async function row(state) {
    await until(async () => (await nodes()).some((each) => (each.alive && each.stopping ? 'stopping' : each.state) === state), `a node that is ${state}`)
    const page = await browser.page(`${server.url}/#/nodes`)
    await page.locator('tbody tr', { hasText: 'night' }).getByText(state).waitFor()
    return page
  }

  it('says where an executor runs, what it is at, what it has locked, how old that is, and what it takes', async () => {
    const node = await until(async () => (await nodes()).find((each) => each.jobs?.length === 1 && each.held === 1), 'the job on a thread')
    const page = await row('at work')
    const shown = await cells(page)
    assert.match(shown[6], /^\d+ s ago$/)
    shown.splice(6, 1)
    assert.deepEqual(shown, [node.host, String(worker.pid), '● at work', '1', '29', '1', 'priority -5 to any', node.build, 'night'])
    await page.locator('tbody tr', { hasText: 'night' }).getByRole('link', { name: '1' }).click()
    await page.locator('tbody tr', { hasText: 'hold 1' }).first().waitFor() // the list of that one job
    assert.ok(page.url().includes(`ids=${node.jobs[0]}`))
    assert.deepEqual(page.errors, [])
    await page.close()
  })

  it('shows one that stops, and waits for its job', async () => {
    worker.kill('SIGTERM')
    const page = await row('stopping')
    assert.equal((await cells(page))[3], '1')
    await page.close()
  })

  it('shows one that was killed as gone, with what it has locked', async () => {
    worker.kill('SIGKILL')
    await worker.ended
    const page = await row('gone')
    const shown = await cells(page)
    assert.deepEqual([shown[1], shown[5]], [String(worker.pid), '1'])
    await page.close()
  })
})
