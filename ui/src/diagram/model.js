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

// An element as text, without what lies within it under an id of its own.
function shape(element) {
  const copy = element.cloneNode(true)
  for (const inner of [...copy.getElementsByTagNameNS(BPMN, '*')]) if (inner.id) inner.remove()
  for (const reference of [...copy.childNodes]) if (['incoming', 'outgoing'].includes(reference.localName)) reference.remove()
  return new XMLSerializer().serializeToString(copy).replace(/\s+/g, ' ')
}

/** How `after` differs from `before`: ids that were added, removed, and that say something else. */
export function differences(before, after) {
  const old = new Map(named(before).map((element) => [element.id, element]))
  const now = new Map(named(after).map((element) => [element.id, element]))
  return {
    added: [...now.keys()].filter((id) => !old.has(id)),
    removed: [...old.keys()].filter((id) => !now.has(id)),
    changed: [...now].filter(([id, element]) => old.has(id) && shape(old.get(id)) !== shape(element)).map(([id]) => id)
  }
}
