// dmn-js for one decision of a file: a table, a literal expression, or whatever it knows. Loaded when a decision is first shown.
import Viewer from 'dmn-js/lib/NavigatedViewer'
import 'dmn-js/dist/assets/diagram-js.css'
import 'dmn-js/dist/assets/dmn-js-shared.css'
import 'dmn-js/dist/assets/dmn-js-drd.css'
import 'dmn-js/dist/assets/dmn-js-decision-table.css'
import 'dmn-js/dist/assets/dmn-js-literal-expression.css'
import 'dmn-js/dist/assets/dmn-js-boxed-expression.css'

export async function showDecision(container, xml, id) {
  const viewer = new Viewer({ container })
  await viewer.importXML(xml)
  const view = viewer.getViews().find(({ element }) => element.id === id) ?? viewer.getViews()[0]
  if (!view) throw new Error('There is nothing to show in this file.')
  await viewer.open(view)
  return viewer
}
