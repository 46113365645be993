// A small map of a large drawing: where its nodes are and which part is in view. A click goes there.

const WIDTH = 180
const HEIGHT = 120
const NODES_MIN = 100 // a smaller drawing is seen at a glance

const SVG = 'http://www.w3.org/2000/svg'

function rectangle(box, name) {
  const rect = document.createElementNS(SVG, 'rect')
  rect.setAttribute('class', name)
  place(rect, box)
  return rect
}

function place(rect, { x, y, width, height }) {
  for (const [name, value] of Object.entries({ x, y, width, height })) rect.setAttribute(name, value)
}

const isNode = (element) => element.width && !element.labelTarget && element.parent && !element.hidden

/** The map of a viewer's drawing in `container`; null where it has few nodes. */
export function minimap(container, canvas, elements) {
  const nodes = elements.filter(isNode)
  if (nodes.length <= NODES_MIN) return null
  const { inner } = canvas.viewbox()
  const map = document.createElementNS(SVG, 'svg')
  map.setAttribute('class', 'minimap')
  map.setAttribute('viewBox', [inner.x, inner.y, inner.width, inner.height].join(' '))
  map.setAttribute('width', WIDTH)
  map.setAttribute('height', HEIGHT)
  map.setAttribute('role', 'img')
  map.setAttribute('aria-label', 'Map of the drawing')
  map.append(...nodes.map((node) => rectangle(node, 'node')))
  const view = rectangle(canvas.viewbox(), 'view')
  map.append(view)
  map.addEventListener('click', (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse())
    const { width, height } = canvas.viewbox()
    canvas.viewbox({ x: at.x - width / 2, y: at.y - height / 2, width, height })
  })
  container.append(map)
  return { follow: () => place(view, canvas.viewbox()) }
}
