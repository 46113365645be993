// Takes the pictures of docs/page.md: each page in both modes, from the shop's store. node test/pictures.mjs FOLDER
import path from 'node:path'
import { browse, serve, shopStore } from './support.mjs'

const folder = process.argv[2]
const server = await serve(shopStore())
const browser = await browse()
const [incident] = await server.ask('GET', '/incident?activityId=invoice&maxResults=1')
const [ended] = await server.ask('POST', '/history/process-instance', { processDefinitionKey: 'order', finished: true })
const [decided] = await server.ask('GET', '/history/decision-instance?maxResults=1')
const [old, latest] = await server.ask('GET', '/process-definition?key=order&sortBy=version&sortOrder=asc')
const [task] = await server.ask('GET', '/task?taskDefinitionKey=check&active=true&maxResults=1')
const at = new Date(ended.startTime.replace(/\+0000$/, 'Z')).getTime() + 1

const pages = [
  ['overview', '#/'],
  ['process', '#/definitions/order/1'],
  ['heat', '#/definitions/order/1?mode=duration&state=ended'],
  ['versions', '#/definitions/order/2?mode=compare'],
  ['instance', `#/instances/${incident.processInstanceId}?element=invoice`],
  ['walk', `#/instances/${ended.id}?panel=timeline&at=${at}`],
  ['jobs', '#/jobs?state=failed'],
  ['task', `#/tasks/${task.id}`],
  ['decision', `#/decisions/discount/1?made=${decided.id}`],
  ['migrate', `#/migrate/${old.id}/${latest.id}`],
  ['deployments', '#/deployments']
]
for (const colorScheme of ['light', 'dark']) {
  for (const [name, hash] of pages) {
    const page = await browser.page(`${server.url}/${hash}`, { colorScheme, viewport: { width: 1280, height: 800 } })
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 })))
    await page.screenshot({ path: path.join(folder, `${name}-${colorScheme}.png`) })
    await page.close()
  }
}
await browser.close()
await server.stop()
