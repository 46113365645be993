// A small works, whose models fail when a variable says so, for what is tried on a store of its own.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { folder, here, serve } from './support.mjs'

/** A server with the models of the works; `begin(key, variables, businessKey)` gives an instance's id. */
export async function serveWorks(...options) {
  const server = await serve(folder(), ...options)
  server.begin = async (key, variables = {}, businessKey) => (await server.ask('POST', `/process-definition/key/${key}/start`, { variables, businessKey })).id
  return server
}

export async function deployWorks(server, headers = {}) {
  const form = new FormData()
  form.set('deployment-name', 'works')
  for (const name of ['works.bpmn', 'folded.bpmn']) form.set(name, new Blob([readFileSync(path.join(here, 'works', name))]), name)
  const response = await fetch(`${server.url}/engine-rest/deployment/create`, { method: 'POST', body: form, headers })
  assert.equal(response.status, 200, await response.text())
}

export async function done(page) {
  assert.deepEqual(page.errors, [])
  await page.close()
}
