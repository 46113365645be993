// Builds dist/: the operator's page and the page of people's tasks, in pieces that load when they are needed, their licenses,
// and index.html and tasks.html. They share no piece, so that neither grows by the other. Fails when a bound is broken.
import { build } from 'esbuild'
import { readFile, writeFile, rm, mkdir, readdir } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import path from 'node:path'

const OUT = 'dist'
const ALL_MAX = 300 * 1024 // compressed, of everything that is loaded for a diagram
const FIRST_MAX = 60 * 1024 // compressed, of what the first page needs
const TASKS_MAX = 40 * 1024 // the same of the page of tasks

await rm(OUT, { recursive: true, force: true })
await mkdir(OUT)
const shared = await build({
  entryPoints: { events: 'src/app/events.worker.js' },
  outdir: OUT,
  entryNames: '[name]-[hash]',
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  metafile: true
})
const worker = path.basename(Object.keys(shared.metafile.outputs)[0])
const EMPTY = { '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty', '.eot': 'empty', '.svg': 'empty' }
const forms = await build({
  entryPoints: { forms: '@bpmn-io/form-js-viewer/dist/assets/form-js.css' },
  outdir: OUT,
  entryNames: '[name]-[hash]',
  bundle: true,
  minify: true,
  metafile: true,
  loader: EMPTY
})
const page = await pageOf('page', 'src/main.jsx', 'index.html')
const tasks = await pageOf('tasks', 'src/tasks/main.jsx', 'tasks.html')
await writeFile(`${OUT}/LICENSES.txt`, await licenses([page, tasks, forms].flatMap(({ metafile }) => Object.keys(metafile.inputs))))
await checkSizes(page, 'first page', FIRST_MAX)
await checkSizes(tasks, 'tasks', TASKS_MAX)
await compress()

/** A page with its pieces, which `html` begins. */
async function pageOf(name, entryPoint, html) {
  const { metafile } = await build({
    entryPoints: { [name]: entryPoint },
    define: { EVENTS_WORKER: JSON.stringify(worker), FORM_STYLE: JSON.stringify(path.basename(Object.keys(forms.metafile.outputs)[0])) },
    outdir: OUT,
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: false,
    metafile: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: EMPTY,
    legalComments: 'none'
  })
  const outputs = Object.entries(metafile.outputs)
  const entry = outputs.find(([, output]) => output.entryPoint === entryPoint)
  const template = await readFile(`src/${html}`, 'utf8')
  await writeFile(`${OUT}/${html}`, template.replace('%SCRIPT%', path.basename(entry[0])).replace('%STYLE%', path.basename(entry[1].cssBundle)))
  return { metafile, outputs, entry }
}

/** The texts of the licenses of all packages of which something is bundled. */
async function licenses(inputs) {
  const folders = new Set()
  for (const input of inputs) {
    const found = input.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)
    if (found) folders.add(found[0])
  }
  const parts = []
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? await readFile(`${folder}/${file}`, 'utf8') : ''
    parts.push(`${name} ${version} (${license ?? 'see its text'})\n\n${text.trim()}\n`)
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** Each file's compressed form beside it, where that is shorter: for browsers that take it. */
async function compress() {
  for (const file of await readdir(OUT)) {
    const bytes = await readFile(`${OUT}/${file}`)
    const shorter = gzipSync(bytes, { level: 9 })
    if (shorter.length < bytes.length) await writeFile(`${OUT}/${file}.gz`, shorter)
  }
}

/** Static imports of the entry are what the first page needs; the decisions' viewer is a page of its own. */
async function checkSizes({ metafile, outputs, entry }, name, firstMax) {
  const sizes = new Map()
  for (const [file] of outputs) sizes.set(file, gzipSync(await readFile(file), { level: 9 }).length)
  const reached = (from, kinds, seen = new Set()) => {
    if (seen.has(from)) return seen
    seen.add(from)
    for (const to of metafile.outputs[from].imports) if (kinds.includes(to.kind)) reached(to.path, kinds, seen)
    return seen
  }
  const sum = (files) => [...files].reduce((total, file) => total + (sizes.get(file) ?? 0), 0)
  const first = reached(entry[0], ['import-statement'])
  const bpmn = outputs.find(([, output]) => output.entryPoint?.endsWith('diagram/viewer.js'))
  const both = new Set([...first, entry[1].cssBundle, ...(bpmn ? reached(bpmn[0], ['import-statement']) : [])])
  first.add(entry[1].cssBundle)
  console.log(`${name} ${kilobytes(sum(first))}, with the diagram ${kilobytes(sum(both))} compressed`)
  if (sum(first) > firstMax) throw new Error(`${name}: its first load is more than ${kilobytes(firstMax)}`)
  if (sum(both) > ALL_MAX) throw new Error(`${name}: page and diagram are more than ${kilobytes(ALL_MAX)}`)
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1)} KB`
}
