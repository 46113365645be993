// The drawing of an instance: what is folded is counted, what was taken is seen, and it fits its place.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../support.mjs'
import { done, open as openPage, server } from './server.mjs'

const LEAST = 16 // pixels of a badge's height that can still be read
/** The page of an instance to which something has happened since it began. */
async function open() {
  const id = await server.begin('folded')
  const { startTime } = await server.ask('GET', `/history/process-instance/${id}`)
  await until(async () => {
    await server.ask('PUT', `/process-instance/${id}/variables/later`, { value: Math.random() })
    const updates = await server.ask('GET', `/history/detail?processInstanceId=${id}&variableUpdates=true`)
    return updates.some((each) => each.time > startTime)
  }, 'a later moment')
  return openPage(`#/instances/${id}`, {}) // of a window of its own, whose size it changes
}
const shape = (page, id) => page.locator(`[data-element-id="${id}"] .djs-visual`).first()
const badgeOf = (page, id) => page.locator(`.djs-overlays[data-container-id="${id}"] .badge.run`)

describe('a drawing', () => {
  it('counts what is folded, shows the flows that were taken, and has the walk through time below it', async () => {
    const page = await open()
    await badgeOf(page, 'box').waitFor()
    assert.match(await badgeOf(page, 'box').innerText(), /2$/)
    assert.ok((await badgeOf(page, 'box').boundingBox()).height >= LEAST)
    await page.locator('.djs-connection.taken[data-element-id="in"]').waitFor({ state: 'attached' })
    assert.equal(await page.locator('.djs-connection.taken[data-element-id="out"]').count(), 0)
    const canvas = await page.locator('.canvas').boundingBox()
    assert.ok((await page.locator('.walk').boundingBox()).y >= canvas.y + canvas.height - 1)
    await done(page)
  })

  it('fits again when the window changes, and goes to a token, as large as it is drawn', async () => {
    const page = await open()
    await badgeOf(page, 'box').waitFor()
    const widthOf = async (id) => (await shape(page, id).boundingBox()).width
    const before = await widthOf('box')
    await page.setViewportSize({ width: 800, height: 900 })
    await until(async () => await widthOf('box') < before * 0.7, 'a smaller drawing')
    const canvas = await page.locator('.canvas').boundingBox()
    const end = await shape(page, 'z').boundingBox()
    assert.ok(end.x + end.width <= canvas.x + canvas.width, 'its end is seen')
    await page.getByRole('button', { name: 'Go to the next token' }).click()
    await until(async () => await widthOf('box') > before, 'the token')
    await done(page)
  })
})
