// What a model says without being drawn: names of its elements, calls, and how two versions differ.

const BPMN = 'http://www.omg.org/spec/BPMN/20100524/MODEL'

function parse(xml) {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  if (document.querySelector('parsererror')) throw new Error('The model is no XML.')
  return document
}

function named(xml) {
  return [...parse(xml).getElementsByTagNameNS(BPMN, '*')].filter((element) => element.id)
}

// What a version is compared by: what is drawn. What triggers an event is a part of the event.
const compared = (element) => element.localName !== 'definitions' && !element.localName.endsWith('EventDefinition')

const KEPT = 20
const kept = new Map()

/** id -> { name, type } of every element of a model. */
export function elementNames(xml) {
  if (!kept.has(xml)) {
    const names = new Map()
    for (const element of named(xml)) names.set(element.id, { name: element.getAttribute('name') || element.id, type: element.localName })
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value)
    kept.set(xml, names)
  }
  return kept.get(xml)
}

/** The same of one process of a model, which may have several. */
export function processElements(xml, key) {
  const process = [...parse(xml).getElementsByTagNameNS(BPMN, 'process')].find((each) => each.id === key)
  const inside = new Set([...(process?.getElementsByTagNameNS(BPMN, '*') ?? [])].map((element) => element.id))
  return new Map([...elementNames(xml)].filter(([id]) => inside.has(id)))
}

// An element as text, without what lies within it under an id of its own.
function shape(element) {
  const copy = element.cloneNode(true)
  for (const inner of [...copy.getElementsByTagNameNS(BPMN, '*')]) if (inner.id && compared(inner)) inner.remove()
  for (const reference of [...copy.childNodes]) if (['incoming', 'outgoing'].includes(reference.localName)) reference.remove()
  return new XMLSerializer().serializeToString(copy).replace(/\s+/g, ' ')
}

const attributes = (element) => new Map([...element.attributes].filter(({ name }) => !name.startsWith('xmlns')).map(({ name, value }) => [name.replace(/^.*:/, ''), value]))

/** What an element that is in both says otherwise: [what, before, after] of attributes, or of what lies within it. */
function saysOtherwise(before, after) {
  const [old, now] = [attributes(before), attributes(after)]
  const rows = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name))
    .map((name) => [name, old.get(name) ?? '', now.get(name) ?? ''])
  return rows.length ? rows : [['content', '', '']]
}

/** How `after` differs from `before`: ids that were added, removed, and that say something else; of those what (`details`). */
export function differences(before, after) {
  const old = new Map(named(before).filter(compared).map((element) => [element.id, element]))
  const now = new Map(named(after).filter(compared).map((element) => [element.id, element]))
  const changed = [...now].filter(([id, element]) => old.has(id) && shape(old.get(id)) !== shape(element)).map(([id]) => id)
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed,
    details: new Map(changed.map((id) => [id, saysOtherwise(old.get(id), now.get(id))]))
  }
}

/**
 * The model with each node naming its flows. Models may leave `incoming` and `outgoing` out, but without them a layout knows no
 * connection.
 */
export function withFlowsNamed(xml) {
  const document = parse(xml)
  const byId = new Map([...document.getElementsByTagNameNS(BPMN, '*')].map((element) => [element.id, element]))
  const name = (node, kind, flow) => {
    if (!node || [...node.children].some((child) => child.localName === kind && child.textContent.trim() === flow.id)) return
    const reference = document.createElementNS(BPMN, node.prefix ? `${node.prefix}:${kind}` : kind)
    reference.textContent = flow.id
    node.append(reference)
  }
  for (const flow of document.getElementsByTagNameNS(BPMN, 'sequenceFlow')) {
    name(byId.get(flow.getAttribute('sourceRef')), 'outgoing', flow)
    name(byId.get(flow.getAttribute('targetRef')), 'incoming', flow)
  }
  return new XMLSerializer().serializeToString(document)
}
