// A shop's store, a real server over it, and a real browser before it.
import { spawn, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, existsSync, cpSync, writeFileSync } from 'node:fs'
import { afterEach } from 'node:test'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

export const here = path.dirname(fileURLToPath(import.meta.url))
const CHROMIUM = process.env.ORRERY_CHROMIUM ?? '/usr/bin/chromium'
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync']
const PATIENCE_MS = Number(process.env.ORRERY_PATIENCE_MS ?? 120000) // machines may be busy; nothing waits that long by itself

const root = mkdtempSync(path.join(tmpdir(), 'orrery-page-'))
const servers = new Set()
process.on('exit', () => {
  for (const each of servers) each.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})
let next = 0

/** A folder of its own, gone at the end. */
export function folder() {
  return path.join(root, String(next++))
}

export function lua(file, ...args) {
  return execFileSync('lua5.4', [file, ...args.map(String)], { encoding: 'utf8' })
}

let shop = null
/** A copy of the shop's store, which is made once. */
export function shopStore(orders = 400) {
  if (!shop) {
    shop = folder()
    lua(path.join(here, 'shop/seed.lua'), shop, orders)
  }
  const copy = folder()
  cpSync(shop, copy, { recursive: true })
  return copy
}

async function until(ask, what) {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    const answer = await ask()
    if (answer) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`waited in vain for ${what}`)
}

/** A server of a store: { url, stop(signal), start() again at the same port }. */
export async function serve(store, ...options) {
  const ready = folder()
  const config = folder()
  let port = 0
  writeFileSync(config, 'return { options = { history = "full" } }')
  const server = {
    async start() {
      rmSync(ready, { force: true })
      server.process = spawn('orrery', ['serve', store, '--listen', `127.0.0.1:${port}`, '--ready-file', ready, '--config', config, '--ui', path.join(here, '../dist'),
        ...(options.includes('--lua') ? [] : ['--lua', path.join(here, 'shop/delegates.lua')]), ...options], { stdio: ['ignore', 'ignore', process.env.ORRERY_DEBUG ? 'inherit' : 'ignore'] })
      server.process.unref() // a test that fails leaves it behind
      servers.add(server.process)
      await until(() => existsSync(ready) && readFileSync(ready, 'utf8').trim(), 'the server')
      port = Number(readFileSync(ready, 'utf8').match(/(\d+)\s*$/)[1])
      server.url = `http://127.0.0.1:${port}`
    },
    async stop(signal = 'SIGTERM') {
      if (server.process.exitCode !== null || server.process.signalCode) return
      server.process.ref()
      const ended = new Promise((resolve) => server.process.once('exit', resolve))
      server.process.kill(signal)
      await ended
    },
    async ask(method, at, body) {
      const response = await fetch(`${server.url}/engine-rest${at}`, { method,
        headers: { 'Content-Type': 'application/json', ...(server.credentials && { Authorization: server.credentials }) },
        body: body === undefined ? undefined : JSON.stringify(body) })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${at}: ${response.status} ${text}`)
      return text ? JSON.parse(text) : null
    }
  }
  await server.start()
  return server
}

let waits = null
/** A copy of a store with three versions of waits/waits.bpmn, which is made once; its job of booking fails in the second. */
export function waitsStore() {
  if (!waits) {
    waits = folder()
    const model = readFileSync(path.join(here, 'waits/waits.bpmn'), 'utf8')
    for (const booked of ['return 1', 'error("the book is closed", 0)', 'return 3']) {
      const next = path.join(root, 'waits.bpmn')
      writeFileSync(next, model.replace('return 1', booked))
      execFileSync('orrery', ['deploy', waits, next, '--create'])
    }
  }
  const copy = folder()
  cpSync(waits, copy, { recursive: true })
  return copy
}

const left = new Set() // pages that no test has closed

// Who reads of a failure in another place cannot look at the page.
afterEach(async () => {
  for (const page of left) {
    const shown = await page.evaluate(() => document.body.innerText).catch((error) => error.message)
    console.log(`a page was left at ${page.url()}: ${JSON.stringify(shown)}`)
    await page.close()
  }
})

/** A browser, and pages that fail the test when a script of theirs does. */
export async function browse(...args) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...ARGUMENTS, ...args] })
  return {
    /** `context`: of pages that share what tabs of one browser share. */
    async page(url, { context, ...options } = {}) {
      const page = await (context ? context.newPage() : browser.newPage({ viewport: { width: 1400, height: 900 }, ...options }))
      page.setDefaultTimeout(PATIENCE_MS)
      left.add(page)
      page.on('close', () => left.delete(page))
      page.errors = []
      page.on('pageerror', (error) => page.errors.push(error.message))
      page.on('console', (message) => message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text()) && page.errors.push(message.text()))
      page.on('dialog', (dialog) => dialog.accept())
      await page.goto(url)
      page.connected = page.waitForSelector('html[data-heard]') // it hears what changes
      page.connected.catch(() => {}) // not every page does
      return page
    },
    tabs: (options) => browser.newContext({ viewport: { width: 1400, height: 900 }, ...options }),
    close: () => browser.close()
  }
}

export { until }
