// A small works, whose models fail when a variable says so: its server and a browser, for all that is tried on it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after } from 'node:test'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { browse, folder, here, serve } from '../support.mjs'

const NAME = 'works.example' // a name that is not this machine's own
export const ANN = `Basic ${Buffer.from('ann:orbit').toString('base64')}`

/** A server with the models of the works; `begin(key, variables, businessKey)` gives an instance's id. */
async function serveWorks(credentials, ...options) {
  const server = await serve(folder(), ...options)
  server.credentials = credentials
  server.begin = async (key, variables = {}, businessKey) => (await server.ask('POST', `/process-definition/key/${key}/start`, { variables, businessKey })).id
  await deploy(server, credentials && { Authorization: credentials })
  return server
}

async function deploy(server, headers) {
  const form = new FormData()
  form.set('deployment-name', 'works')
  for (const name of ['works.bpmn', 'folded.bpmn']) form.set(name, new Blob([readFileSync(path.join(here, 'works', name))]), name)
  const response = await fetch(`${server.url}/engine-rest/deployment/create`, { method: 'POST', body: form, headers })
  assert.equal(response.status, 200, await response.text())
}

/** The file of those who may log in: ann, and eve, who may only read. */
function users() {
  const file = folder()
  const hash = execFileSync('orrery', ['serve', '--hash'], { input: 'orbit\n', encoding: 'utf8' }).trim()
  writeFileSync(file, `user ann operate,deploy ${hash}\nuser eve read ${hash}\n`)
  return file
}

// All of it is there before the first test begins: once no test is left, what follows `after` runs.
export const server = await serveWorks()
export const guarded = await serveWorks(ANN, '--auth', users(), '--host', NAME)
export const site = guarded.url.replace('127.0.0.1', NAME) // plain HTTP, and no secure context
export const browser = await browse(`--host-resolver-rules=MAP ${NAME} 127.0.0.1`)
const tabs = await browser.tabs()

after(async () => {
  await browser.close()
  await server.stop()
  await guarded.stop()
})

/** A page of the server: a tab beside the others, or with `options` one of a browser of its own. */
export const open = (hash, options) => browser.page(`${server.url}/${hash}`, options ?? { context: tabs })

export async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}
