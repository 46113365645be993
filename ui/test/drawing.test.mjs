// The drawing of an instance: what is folded is counted, what was taken is seen, and it fits its place.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { browse, until } from './support.mjs'
import { deployWorks, done, serveWorks } from './works.mjs'

const LEAST = 16 // pixels of a badge's height that can still be read
let server
let browser
let page

before(async () => {
  server = await serveWorks()
  await deployWorks(server)
  browser = await browse()
  page = await browser.page(`${server.url}/#/instances/${await server.begin('folded')}`)
})

after(async () => {
  await browser?.close()
  await server?.stop()
})

const shape = (id) => page.locator(`[data-element-id="${id}"] .djs-visual`).first()
const badgeOf = (id) => page.locator(`.djs-overlays[data-container-id="${id}"] .badge.run`)

describe('a drawing', () => {
  it('counts tokens inside a collapsed sub-process on it, in badges that can be read', async () => {
    await badgeOf('box').waitFor()
    assert.match(await badgeOf('box').innerText(), /2$/)
    assert.ok((await badgeOf('box').boundingBox()).height >= LEAST)
  })

  it('shows the flows that were taken, and those alone', async () => {
    await page.locator('.djs-connection.taken[data-element-id="in"]').waitFor({ state: 'attached' })
    assert.equal(await page.locator('.djs-connection.taken[data-element-id="out"]').count(), 0)
  })

  it('has the walk through time below it', async () => {
    const canvas = await page.locator('.canvas').boundingBox()
    assert.ok((await page.locator('.walk').boundingBox()).y >= canvas.y + canvas.height - 1)
  })

  it('fits again when the window changes', async () => {
    const width = async () => (await page.locator('.djs-group').first().boundingBox()).width
    const before = await width()
    await page.setViewportSize({ width: 800, height: 900 })
    await until(async () => await width() < before * 0.7, 'a smaller drawing')
    const canvas = await page.locator('.canvas').boundingBox()
    const end = await shape('z').boundingBox()
    assert.ok(end.x + end.width <= canvas.x + canvas.width, 'its end is seen')
  })

  it('goes to a token, as large as it is drawn', async () => {
    const before = (await shape('box').boundingBox()).width
    await page.getByRole('button', { name: 'Go to the next token' }).click()
    await until(async () => (await shape('box').boundingBox())?.width > before * 2, 'the token')
    await done(page)
  })
})
