// bpmn-js with what an operator looks at: tokens, incidents, heat, the way that was taken. Loaded when a diagram is first shown.
import NavigatedViewer from 'bpmn-js/lib/NavigatedViewer'
import { withFolded } from './folded.js'
import { minimap } from './minimap.js'
import { withFlowsNamed } from './model.js'
import 'bpmn-js/dist/assets/diagram-js.css'
import 'bpmn-js/dist/assets/bpmn-js.css'

const BADGE_LEAST = 0.85 // of its size, however far the drawing is zoomed out
const TOKEN_ZOOM = 1

const MARKS = ['taken', 'heat', 'chosen', 'target', 'added', 'removed', 'changed']

/** A drawing without shapes is laid out first; what cannot be laid out is refused with a reason. */
async function drawn(xml) {
  if (/<(\w+:)?BPMNShape[\s>]/.test(xml)) return xml
  const { layoutProcess } = await import('bpmn-auto-layout')
  return layoutProcess(withFlowsNamed(xml))
}

function badge({ tone, shape, count, title }) {
  const element = document.createElement('div')
  element.className = `badge ${tone}`
  element.title = title
  element.textContent = count > 1 || !shape ? `${shape ?? ''}${count.toLocaleString()}` : shape
  return element
}

export class Diagram {
  /** `onChoose(id)` is called with the element that is clicked, or null for none. */
  constructor(container, onChoose) {
    this.viewer = new NavigatedViewer({ container })
    this.marked = []
    this.shown = new Map() // element id -> what its badges say, and their overlay
    this.viewer.on('element.click', ({ element }) => {
      const plane = !element.parent
      onChoose(plane ? null : element.id.replace(/_label$/, ''))
    })
    this.container = container
    this.given = new Map()
    this.token = -1 // the one that was looked at last
    this.viewer.on('canvas.viewbox.changed', () => this.map?.follow())
    this.viewer.on('root.set', () => this.badges(this.given))
    this.resized = new ResizeObserver(() => this.resize())
    this.resized.observe(container)
  }

  /** Where the drawing stands, whatever the size of what shows it. */
  get stand() {
    const { x, y, scale } = this.canvas.viewbox()
    return [x, y, scale].join(' ')
  }

  /** In a window of another size it fits again, unless the user has moved or zoomed it. */
  resize() {
    if (!this.fitted || !this.container.clientWidth) return
    const fitted = this.stand === this.fitted
    this.canvas.resized()
    if (fitted) this.fit()
  }

  /** Shows a model. Warnings are about elements without a drawing, which are then absent. */
  async show(xml) {
    const { warnings } = await this.viewer.importXML(await drawn(xml))
    this.fit()
    this.map = minimap(this.container, this.canvas, this.elements)
    return warnings
  }

  get elements() {
    return this.viewer.get('elementRegistry')
  }

  get canvas() {
    return this.viewer.get('canvas')
  }

  fit() {
    this.canvas.zoom('fit-viewport', 'auto')
    this.zoom(0.94) // some room around it
    this.fitted = this.stand
  }

  /** Goes to the next element that has a token or an incident, as large as it is drawn. */
  nextToken() {
    const at = [...this.given].filter(([id, list]) => this.elements.get(id)?.width && list.some(({ tone }) => ['run', 'bad'].includes(tone)))
    if (at.length === 0) return
    this.token = (this.token + 1) % at.length
    const [id] = at[this.token]
    this.reveal(id)
    const element = this.elements.get(id)
    this.canvas.zoom(TOKEN_ZOOM)
    const { width, height } = this.canvas.viewbox()
    this.canvas.viewbox({ x: element.x + element.width / 2 - width / 2, y: element.y + element.height / 2 - height / 2, width, height })
  }

  zoom(by) {
    this.canvas.zoom(this.canvas.zoom() * by)
  }

  /** Badges: element id -> [{ tone, shape, count, title }], at its upper left, side by side: below are labels and boundary events, which have theirs at the right. */
  badges(given) {
    this.given = given
    if (!this.viewer.getDefinitions()) return
    const of = withFolded(given, this.canvas.getRootElement(), this.elements, this.canvas)
    const overlays = this.viewer.get('overlays')
    const says = new Map([...of].map(([id, list]) => [id, JSON.stringify(list)]))
    for (const [id, { said, overlay }] of this.shown) {
      if (says.get(id) === said) continue // what stays the same is not drawn again
      overlays.remove(overlay)
      this.shown.delete(id)
    }
    for (const [id, list] of of) {
      const element = this.elements.get(id)
      if (this.shown.has(id) || !element || element.waypoints) continue
      const group = document.createElement('div')
      group.className = 'badges'
      for (const each of list) group.append(badge(each))
      const position = element.host ? { top: element.height / 2 - 10, left: element.width + 2 } : { top: -12, left: -8 }
      this.shown.set(id, { said: says.get(id), overlay: overlays.add(id, { position, html: group, scale: { min: BADGE_LEAST } }) })
    }
  }

  /** Marks: name -> ids. Heat: id -> 0..1, shown in eight steps. */
  marks(byName, heat = new Map()) {
    for (const [id, name] of this.marked) if (this.elements.get(id)) this.canvas.removeMarker(id, name)
    this.marked = []
    const mark = (id, name) => {
      if (!this.elements.get(id)) return
      this.canvas.addMarker(id, name)
      this.marked.push([id, name])
    }
    for (const name of MARKS) for (const id of byName[name] ?? []) mark(id, name)
    for (const [id, share] of heat) mark(id, `heat-${Math.min(8, Math.max(1, Math.ceil(share * 8)))}`)
  }

  /** Brings an element into view, in the process or sub-process where it is drawn. */
  reveal(id) {
    const element = this.elements.get(id)
    if (!element) return false
    const root = this.canvas.findRoot(element)
    if (root && root !== this.canvas.getRootElement()) this.canvas.setRootElement(root)
    const view = this.canvas.viewbox()
    const middle = [element.x + (element.width ?? 0) / 2, element.y + (element.height ?? 0) / 2]
    const inside = middle[0] > view.x && middle[0] < view.x + view.width && middle[1] > view.y && middle[1] < view.y + view.height
    if (!inside && !element.waypoints) this.canvas.scrollToElement(element)
    return true
  }

  /** What is known of the elements: id -> { name, type }. */
  names() {
    const names = new Map()
    this.elements.forEach(({ businessObject: object }) => {
      if (object?.id) names.set(object.id, { name: object.name || object.id, type: object.$type.replace('bpmn:', '') })
    })
    return names
  }

  destroy() {
    this.resized.disconnect()
    this.viewer.destroy()
  }
}
