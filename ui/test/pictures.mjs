// Takes the pictures of docs/page.md, each page in both modes, from the shop's store: node ui/test/pictures.mjs FOLDER [MINUTES [NAME,…]].
// The shop works for so many minutes first, so that the charts have something to show.
import path from 'node:path'
import { browse, serve, shopStore } from './support.mjs'

const folder = process.argv[2]
const minutes = Number(process.argv[3] ?? 0)
const only = process.argv[4]?.split(',')
const server = await serve(shopStore())
const browser = await browse()
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const TOWNS = ['Ghent', 'Vienna', 'Lyon', 'Porto', 'Turku', 'Gdansk', 'Bergen', 'Ghent', 'Lyon', 'Vienna', 'Porto', 'Kyoto']

function startOrder(i) {
  const variables = { card: { value: '4111' }, total: { value: 900 + i * 37 }, address: { value: TOWNS[i % TOWNS.length] }, express: { value: i % 5 === 0 },
    items: { type: 'Json', value: JSON.stringify([{ sku: `LAMP-${i % 9}`, count: 1 }]) } }
  return server.ask('POST', '/process-definition/key/order/start', { businessKey: `order-${String(401 + i).padStart(4, '0')}`, variables })
}

function startQuote(i) {
  return server.ask('POST', '/process-definition/key/quote/start', { businessKey: `quote-${41 + i}`,
    variables: { customer: { value: i % 3 ? 'private' : 'business' }, total: { value: i * 20 } } })
}

/** What lies longest is done first; some is left. */
async function people() {
  for (const [key, left] of [['pack', 9], ['check', 7]]) {
    const tasks = await server.ask('GET', `/task?taskDefinitionKey=${key}&active=true&sortBy=created&sortOrder=asc&maxResults=30`)
    for (const task of tasks.slice(0, -left)) await server.ask('POST', `/task/${task.id}/complete`, {})
  }
}

/** Orders come and go, more in some minutes than in others. */
async function business() {
  const end = Date.now() + minutes * 60000
  for (let i = 0; Date.now() < end; i++) {
    if (i % 3) await startQuote(i)
    else await startOrder(i / 3)
    if (i % 5 === 0) await people()
    await pause(2500 + 1400 * Math.sin(Date.now() / 37000) + 900 * Math.sin(Date.now() / 19000))
  }
}

/** What an operator has under way: a limit, a suspended activity, a batch. */
async function operations() {
  await server.ask('PUT', '/orrery/limits', { topic: 'warehouse', max: 4, perSecond: 2 })
  await server.ask('PUT', '/orrery/limits', { key: 'bank', max: 8 })
  const [pay] = await server.ask('GET', '/job-definition?activityIdIn=refund')
  await server.ask('PUT', `/job-definition/${pay.id}/suspended`, { suspended: true, includeJobs: true })
  const asleep = await server.ask('POST', '/process-instance', { processDefinitionKey: 'return' })
  const batch = await server.ask('POST', '/process-instance/suspended-async', { processInstanceIds: asleep.map((each) => each.id), suspended: false })
  return batch
}

await business()
await operations()
const [incident] = await server.ask('GET', '/incident?activityId=invoice&maxResults=1')
const [ended] = await server.ask('POST', '/history/process-instance', { processDefinitionKey: 'order', finished: true })
const [decided] = await server.ask('GET', '/history/decision-instance?maxResults=1')
const [old, latest] = await server.ask('GET', '/process-definition?key=order&sortBy=version&sortOrder=asc')
const [task] = await server.ask('GET', '/task?taskDefinitionKey=check&active=true&maxResults=1')
const [packing] = await server.ask('GET', '/task?taskDefinitionKey=pack&active=true&maxResults=1')
const tree = await server.ask('GET', `/process-instance/${packing.processInstanceId}/activity-instances`)
const token = tree.childActivityInstances.find((each) => each.activityId === 'pack')
const at = new Date(ended.startTime.replace(/\+0000$/, 'Z')).getTime() + 1

const pages = [
  ['overview', '#/'],
  ['process', '#/definitions/order/2'],
  ['returns', '#/definitions/return/1'],
  ['heat', '#/definitions/order/1?mode=duration&state=ended'],
  ['versions', '#/definitions/order/2?mode=compare'],
  ['instance', `#/instances/${incident.processInstanceId}?element=invoice`],
  ['walk', `#/instances/${ended.id}?panel=timeline&at=${at}`],
  ['move', `#/instances/${packing.processInstanceId}?panel=tree&move=yes&from=${token.id}&target=pickup`],
  ['waits', `#/instances/${packing.processInstanceId}?panel=waits`],
  ['external', '#/waits'],
  ['filters', '#/instances?process=order&versions=1-2&activity=invoice&after=3d&error=country&view=No+template'],
  ['moves', `#/moves/${latest.id}?plan=pay%3Ebefore%3Aanother_card%2Cinvoice%3Eafter%3Ainvoice&from=another_card&to=ship`],
  ['instances', '#/instances'],
  ['jobs', '#/jobs?state=failed'],
  ['task', `#/tasks/${task.id}`],
  ['decision', `#/decisions/discount/1?made=${decided.id}`],
  ['batches', '#/batches'],
  ['nodes', '#/nodes'],
  ['migrate', `#/migrate/${old.id}/${latest.id}`],
  ['deployments', '#/deployments']
]

async function picture(name, hash, options) {
  if (only && !only.some((each) => name.startsWith(each))) return
  const page = await browser.page(`${server.url}/${hash}`, options)
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.locator('main tr.coming').first().waitFor({ state: 'detached' })
  if (name.startsWith('decision')) await page.locator('tr.fired').first().waitFor()
  if (name.startsWith('versions')) await page.locator('.compared li').first().waitFor()
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 2000 })))
  await pause(500) // what is drawn in the next frames
  await page.screenshot({ path: path.join(folder, `${name}.png`) })
  await page.close()
}

for (const colorScheme of ['light', 'dark']) {
  for (const [name, hash] of pages) {
    await picture(`${name}-${colorScheme}`, hash, { colorScheme, viewport: { width: 1280, height: 800 } })
  }
}
await picture('waits-small', `#/instances/${packing.processInstanceId}?panel=waits`, { viewport: { width: 390, height: 800 } })
await picture('small', `#/instances/${incident.processInstanceId}`, { viewport: { width: 390, height: 800 } })
await browser.close()
await server.stop()
