// Who uses the page, from where, in how many tabs, and what he may do.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../support.mjs'
import { ANN, browser, done, guarded as server, site } from './server.mjs'

const TABS = 7 // more than the connections that a browser has to one host

async function fill(page, name) {
  const dialog = page.locator('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByLabel('Password').fill('orbit')
  await dialog.getByRole('button', { name: 'Log in' }).click()
  await dialog.waitFor({ state: 'detached' })
}

async function login(hash, name = 'ann', options) {
  const page = await browser.page(`${site}/${hash}`, options)
  await fill(page, name)
  return page
}

const streams = async () => {
  const text = await (await fetch(`${server.url}/metrics`, { headers: { Authorization: ANN } })).text()
  return Number(text.match(/^orrery_http_streams (\d+)/m)[1])
}

/** Waits until so many streams are followed. That a client has gone the server notices when it tells it something. */
function follow(n, id) {
  return until(async () => {
    await server.ask('PUT', `/process-instance/${id}/variables/stirred`, { value: Math.random() })
    return await streams() === n
  }, `${n} streams`)
}

const figure = (page) => page.locator('.figure', { hasText: 'running instances' }).locator('strong')

function seen(page, state) {
  return page.evaluate((now) => {
    Object.defineProperty(document, 'visibilityState', { value: now, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)
}

describe('tabs', () => {
  it('share one stream, however many there are; those that nobody sees have none', async () => {
    const context = await browser.tabs()
    const tabs = [await login('#/', 'ann', { context })]
    while (tabs.length < TABS) tabs.push(await browser.page(`${site}/#/`, { context }))
    for (const tab of tabs) await tab.connected
    assert.equal(await streams(), 1)
    const number = async (tab) => Number(await figure(tab).innerText())
    const before = await number(tabs.at(-1))
    const id = await server.begin('count')
    for (const tab of tabs) await until(async () => await number(tab) === before + 1, 'the new figure')

    for (const tab of tabs) await seen(tab, 'hidden')
    await follow(0, id)
    await server.begin('count')
    await seen(tabs[0], 'visible')
    await until(async () => await number(tabs[0]) === before + 2, 'what was missed')
    assert.equal(await streams(), 1)
    assert.equal(await number(tabs[1]), before + 1)
    for (const tab of tabs) await done(tab)
    await follow(0, id)
    await context.close()
  })
})

describe('on plain HTTP', () => {
  it('the page asks who it is, copies, and logs out', async () => {
    const page = await login('#/instances/1')
    assert.equal(await page.evaluate(() => isSecureContext), false)
    const id = await server.begin('count')
    await page.goto(`${site}/#/instances/${id}`)
    await page.getByRole('button', { name: `Copy ${id}` }).first().click()
    await page.locator('.copy .icon', { hasText: '✓' }).waitFor()
    await page.locator('#search').focus()
    await page.keyboard.press('Control+v')
    assert.equal(await page.locator('#search').inputValue(), id)
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.locator('dialog').getByLabel('Name').waitFor()
    await done(page)
  })
})

describe('the login', () => {
  it('can be left, and is found again', async () => {
    const page = await browser.page(`${site}/#/`)
    await page.locator('dialog').getByLabel('Name').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Nobody is logged in.').waitFor()
    await page.getByRole('button', { name: 'Log in…' }).click()
    await fill(page, 'ann')
    await figure(page).waitFor()
    await done(page)
  })

  it('comes back when the session ends, and leaves what is being written', async () => {
    const id = await server.begin('press', { jammed: { value: true } })
    const page = await login(`#/instances/${id}?panel=variables`)
    await page.getByRole('button', { name: 'Add a variable' }).click()
    await page.getByLabel('Name of the new variable').fill('note')
    const value = page.getByLabel('Value', { exact: true })
    await value.fill('half written')
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    await fill(page, 'ann')
    assert.equal(await value.inputValue(), 'half written')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('code', { hasText: /^note$/ }).waitFor()
    await done(page)
  })
})

describe('who may only read', () => {
  it('is not offered what he may not do', async () => {
    const id = await server.begin('press', { jammed: { value: true } })
    await until(async () => (await server.ask('POST', '/job', { processInstanceId: id }))[0]?.retries === 0, 'the failure')
    const paint = await server.begin('paint')
    const [task] = await server.ask('POST', '/external-task/fetchAndLock', { workerId: 'w', maxTasks: 1, topics: [{ topicName: 'spray', lockDuration: 1000 }] })
    await server.ask('POST', `/external-task/${task.id}/failure`, { workerId: 'w', errorMessage: 'no paint', retries: 0 })
    const page = await login(`#/instances/${id}?panel=incidents`, 'eve')
    const offered = async (hash, shown) => {
      await page.goto(`${site}/${hash}`)
      await shown.first().waitFor()
      const texts = await page.locator('main button:visible:not(.sort):not([aria-pressed])').allInnerTexts()
      return texts.filter((text) => /retry|suspend|cancel|activate|move|migrate|edit|add|delete|start|set|claim|complete|choose|send|unlock|run now|go on/i.test(text))
    }
    const rows = page.locator('main tbody tr:not(.space)')
    const listed = (name) => page.getByRole('region', { name }).locator('tbody tr:not(.space)')
    for (const [hash, shown] of [[`#/instances/${id}?panel=incidents`, rows], [`#/instances/${id}?panel=variables`, rows],
      ['#/definitions/press/1', rows], ['#/instances', rows], ['#/jobs?state=failed', rows], ['#/', rows],
      ['#/nodes', rows], ['#/deployments', rows], ['#/waits?state=failed', listed('External tasks')],
      [`#/instances/${id}?panel=waits`, listed('What tokens wait for')], [`#/instances/${paint}?panel=waits`, listed('What tokens wait for').filter({ hasText: 'no paint' })]]) {
      assert.deepEqual(await offered(hash, shown), [], hash)
    }
    await done(page)
  })
})

describe('an address', () => {
  it('that is malformed gets an answer', async () => {
    const page = await login('#/instances/%E0%A4%A?at=now')
    await page.getByRole('heading', { name: 'Instance %E0%A4%A' }).waitFor()
    await page.getByRole('alert').waitFor()
    await done(page)
  })

  it('of a search finds ended instances', async () => {
    const id = await server.begin('count', {}, 'gone-1')
    const [task] = await server.ask('GET', `/task?processInstanceId=${id}`)
    await server.ask('POST', `/task/${task.id}/complete`, {})
    const page = await login('#/')
    await page.locator('#search').fill('gone-1')
    await page.locator('#search').press('Enter')
    await page.getByRole('link', { name: 'gone-1' }).waitFor()
    await done(page)
  })
})
