// The server's REST interface (Camunda 7's contract, and what is Orrery's own below /orrery).

import { parseExactly } from './exact.js'

/** The engine that the page's address names (?engine=NAME); none: the server's first. */
export const engineName = new URLSearchParams(location.search).get('engine')
const ROOT = engineName ? `/engine-rest/engine/${encodeURIComponent(engineName)}` : '/engine-rest'

/** What the server refused, in its words. */
export class ApiError extends Error {
  constructor(status, type, message) {
    super(message)
    this.status = status
    this.type = type
  }
}

const loggedOut = new Set()
/** Calls `listener` when the server asks who this is. */
export function onLoggedOut(listener) {
  loggedOut.add(listener)
  return () => loggedOut.delete(listener)
}

/** The address of a path below the server's root, for links and downloads. */
export function address(path, params) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params ?? {})) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value)
  }
  const text = query.toString()
  return `${ROOT}${path}${text ? `?${text}` : ''}`
}

// A page elsewhere can send this user's cookie, but does not know what the session said when it was asked.
let token = null
/** The session's token, which every request that changes something shows. */
export function showToken(given) {
  token = given
}

let ahead = 0 // by how much the server's clock differs from this one
/** The server's time, to a second: a due date of now must not lie in its future. */
export const serverNow = () => Date.now() + ahead

function noteClock(response) {
  const date = Date.parse(response.headers.get('Date') ?? '')
  if (!Number.isNaN(date)) ahead = date - Date.now()
}

async function failure(response) {
  let said = {}
  try {
    said = await response.json()
  } catch { /* no JSON: a proxy's page, or nothing */ }
  return new ApiError(response.status, said.type ?? '', said.message ?? `${response.status} ${response.statusText}`)
}

async function call(method, path, { params, body, form, signal, as = 'json' } = {}) {
  const headers = { 'X-Requested-With': 'Orrery' } // a page asks: the browser is not to ask for a password itself
  if (method !== 'GET' && token) headers['X-XSRF-TOKEN'] = token
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  let response
  try {
    response = await fetch(address(path, params), {
      method, headers, signal, credentials: 'same-origin', body: form ?? (body === undefined ? undefined : JSON.stringify(body))
    })
  } catch (error) {
    if (error.name === 'AbortError') throw error
    throw new ApiError(0, 'Connection', 'The server does not answer.')
  }
  noteClock(response)
  if (response.status === 401) for (const listener of loggedOut) listener()
  if (!response.ok) throw await failure(response)
  if (response.status === 204) return null
  return as === 'text' ? response.text() : as === 'json' && (response.headers.get('Content-Type') ?? '').includes('json')
    ? parseExactly(await response.text()) : response.text()
}

export const get = (path, params, options) => call('GET', path, { params, ...options })
export const text = (path, params, options) => call('GET', path, { params, as: 'text', ...options })
export const post = (path, body = {}, options) => call('POST', path, { body, ...options })
export const put = (path, body = {}, options) => call('PUT', path, { body, ...options })
export const del = (path, params) => call('DELETE', path, { params })
export const upload = (path, form) => call('POST', path, { form })
export const count = async (path, query) => (await post(`${path}/count`, query)).count
