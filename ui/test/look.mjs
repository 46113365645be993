// What every new view is held to: axe finds nothing in light and in dark, and a picture of it where one is asked for.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { here } from './support.mjs'

const axe = readFileSync(path.join(here, '../node_modules/axe-core/axe.min.js'), 'utf8')

// What the mode can change, beside what is found in any.
const COLORS = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } }

/** Asks axe about a page that shows what it is to show, in both modes. What bpmn-js and dmn-js draw is theirs. */
export async function accessible(page, name) {
  await page.evaluate(axe)
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme })
    const { violations } = await page.evaluate((options) => axe.run({ include: ['body'], exclude: ['.djs-container', '.decision'] }, options),
      colorScheme === 'dark' ? COLORS : {})
    assert.deepEqual(violations.map(({ id, nodes }) => [name, colorScheme, id, nodes[0].html.slice(0, 160)]), [])
    if (process.env.ORRERY_PICTURES) await page.screenshot({ path: path.join(process.env.ORRERY_PICTURES, `${name}-${colorScheme}.png`) })
  }
  if (!process.env.ORRERY_PICTURES) return
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.screenshot({ path: path.join(process.env.ORRERY_PICTURES, `${name}-small.png`) })
  await page.setViewportSize(size)
}
