// How soon the page of an instance is there, on loopback: node ui/test/measure.mjs [RUNS]. Each run is a browser context without a cache.
import { browse, serve, shopStore } from './support.mjs'

const runs = Number(process.argv[2] ?? 15)
const server = await serve(shopStore(), '--no-executor')
const browser = await browse()
const [incident] = await server.ask('GET', '/incident?activityId=invoice&maxResults=1')

/** Milliseconds since the navigation began: first paint, the instance's name and state, its tokens on the drawing. */
async function measure() {
  const page = await browser.page('about:blank')
  await page.addInitScript(() => {
    window.seen = {}
    const look = () => {
      const note = (name, selector) => {
        if (!window.seen[name] && document.querySelector(selector)) requestAnimationFrame(() => { window.seen[name] ??= performance.now() })
      }
      note('instance', 'main h1 .state')
      note('tokens', '.badge.run')
    }
    new MutationObserver(look).observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${server.url}/#/instances/${incident.processInstanceId}`)
  await page.waitForFunction(() => window.seen.tokens && performance.getEntriesByName('first-contentful-paint').length > 0)
  const times = await page.evaluate(() => ({ paint: performance.getEntriesByName('first-contentful-paint')[0].startTime, ...window.seen }))
  await page.close()
  return times
}

await measure() // the server's and the browser's own beginnings
const all = []
for (let i = 0; i < runs; i++) all.push(await measure())
const middle = (name) => Math.round(all.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(runs / 2)])
console.log(`first paint ${middle('paint')} ms, the instance ${middle('instance')} ms, its tokens on the drawing ${middle('tokens')} ms (median of ${runs})`)
await browser.close()
await server.stop()
