// What is inside a collapsed sub-process is not drawn beside it: its tokens and incidents are counted on the sub-process.

/** The drawn shape of the innermost collapsed sub-process, of those on the plane `root`, that an element is in; null: it is in none. */
function shapeAround(element, root, elements, canvas) {
  let at = element
  while (at && canvas.findRoot(at) !== root) {
    const plane = canvas.findRoot(at)
    at = plane && elements.get(plane.id.replace(/_plane$/, ''))
  }
  return at && at !== element && at.collapsed ? at : null
}

function added(list, more) {
  const sums = new Map(list.map((each) => [each.tone, each]))
  for (const each of more) {
    const count = (sums.get(each.tone)?.count ?? 0) + each.count
    sums.set(each.tone, { ...each, count, title: `${count.toLocaleString()} inside` })
  }
  return [...sums.values()]
}

/** Badges with those of elements on other planes added up on what stands for them on this one. */
export function withFolded(badges, root, elements, canvas) {
  const inside = new Map() // shape -> lists
  for (const [id, list] of badges) {
    const element = elements.get(id)
    const shape = element && shapeAround(element, root, elements, canvas)
    if (shape) inside.set(shape.id, [...(inside.get(shape.id) ?? []), ...list])
  }
  const all = new Map(badges)
  // The sub-process's own token stands for those in it: it is not counted beside them.
  for (const [id, lists] of inside) all.set(id, added((badges.get(id) ?? []).filter(({ tone }) => tone !== 'run'), lists))
  return all
}
