// A browser for all that is tried on the process that waits, and what these parts have in common.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import path from 'node:path'
import { browse, here, lua, serve, waitsStore } from '../support.mjs'

/** A server of three versions of the process, and those. */
async function serveWaits(store, ...options) {
  const server = await serve(store, ...options)
  const versions = await server.ask('GET', '/process-definition?key=waits&sortBy=version&sortOrder=asc')
  return { server, versions }
}

/** Without an executor jobs and timers stay as they are. */
export const { server, versions } = await serveWaits(waitsStore(), '--no-executor')
export const browser = await browse()
const tabs = await browser.tabs()

/** With an executor, and a job that is under way. */
async function serveWorking() {
  const store = waitsStore()
  const asleep = path.join(here, 'waits/asleep.lua')
  lua(asleep, store)
  return serveWaits(store, '--lua', asleep)
}

// All of it is there before the first test begins: once no test is left, what follows `after` runs.
export const working = await serveWorking()
for (const [i, amount] of [5, 7, 9].entries()) await start(`trip-${i + 1}`, { version: versions[i], amount, note: '=1+1, "so" he said' })
const [job] = await server.ask('POST', '/job', { processDefinitionId: versions[1].id, activityId: 'book' })
await server.ask('PUT', `/job/${job.id}/retries`, { retries: 1 })
await server.ask('POST', `/job/${job.id}/execute`).catch(() => {}) // version 2 fails there

after(async () => {
  await browser.close()
  await server.stop()
  await working.server.stop('SIGKILL') // its job is under way
})

/** A page of a server: a tab beside the others. */
export const open = (hash, at = server) => browser.page(`${at.url}/${hash}`, { context: tabs })

/** Starts a version, the latest where none is given. */
export function start(businessKey, { version = versions[2], at = server, ...values } = {}) {
  const variables = Object.fromEntries(Object.entries({ amount: 5, ...values }).map(([name, value]) => [name, { value }]))
  return at.ask('POST', `/process-definition/${version.id}/start`, { businessKey, variables })
}

export async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}
