// Filter bars, saved views, and lists as files.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFileSync } from 'node:fs'
import { accessible } from '../look.mjs'
import { until } from '../support.mjs'
import { browser, done, open } from './server.mjs'

const shown = async (page, name) => (await page.getByRole('region', { name }).locator('tbody tr').locator('a').allInnerTexts()).sort()

/** Waits until the list has these keys and no others. */
const shows = (page, name, keys) => until(async () => [...new Set(await shown(page, name))].join() === keys.join(), `${keys.join(', ') || 'no row'} alone`)

/** Fills fields of the bar, finds, and waits until the list has these keys. */
async function find(page, name, fields, keys) {
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByRole('form', { name: 'Filters' }).getByLabel(label, { exact: true })
    if (await field.evaluate((element) => element.tagName) === 'SELECT') await field.selectOption(value)
    else await field.fill(value)
  }
  await page.getByRole('button', { name: 'Find' }).click()
  const texts = keys.map((key) => page.getByRole('region', { name }).getByRole('link', { name: key, exact: true }).first())
  for (const text of texts) await text.waitFor()
  await page.getByText(keys.length.toLocaleString(), { exact: true }).first().waitFor()
  await shows(page, name, keys)
}

async function fileOf(page, list) {
  const saved = page.waitForEvent('download')
  await list.click()
  return readFileSync(await (await saved).path(), 'utf8')
}

describe('the filter bar', () => {
  it('finds instances by process, versions, activity, times, error text and variables; a view of them is kept and linked to', async () => {
    const page = await open('#/instances')
    await find(page, 'Instances', { Process: 'waits' }, ['trip-1', 'trip-2', 'trip-3'])
    await find(page, 'Instances', { Versions: '1, 3-4' }, ['trip-1', 'trip-3'])
    await find(page, 'Instances', { Activity: 'weigh', Variables: 'amount>6' }, ['trip-3'])
    await find(page, 'Instances', { Versions: '', Variables: '', 'Started after': '1h' }, ['trip-1', 'trip-2', 'trip-3'])
    await find(page, 'Instances', { 'Started before': '2020-01-01' }, [])
    await find(page, 'Instances', { 'Started before': '', 'Error text': 'book is closed' }, ['trip-2'])
    await page.getByRole('button', { name: 'Save view…' }).click()
    await page.locator('dialog').getByLabel('Name').fill('Closed books')
    await page.locator('dialog').getByRole('button', { name: 'Save the view' }).click()
    await page.waitForURL(/view=Closed/)
    await accessible(page, 'filters')
    const link = page.url()
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('region', { name: 'Instances' }).getByRole('link', { name: 'trip-1' }).waitFor()
    await page.getByLabel('Saved views').selectOption('Closed books')
    await page.waitForURL(link)
    await page.getByRole('region', { name: 'Instances' }).getByRole('link', { name: 'trip-1' }).waitFor({ state: 'detached' })
    await find(page, 'Instances', { Versions: '2', 'Started after': '' }, ['trip-2'])
    await page.getByText('Closed books (changed)').waitFor()
    const other = await browser.page(link) // another browser's: nothing is kept there
    await other.getByText('Closed books', { exact: true }).waitFor()
    await other.getByRole('region', { name: 'Instances' }).getByRole('link', { name: 'trip-2' }).waitFor()
    await shows(other, 'Instances', ['trip-2'])
    await done(other)
    await page.getByLabel('Versions', { exact: true }).fill('two')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByText('"two" is no version: write 2, or 1, 3-5.').waitFor()
    await done(page)
  })

  it('finds jobs by process, versions, activity, key and error text, and sorts them', async () => {
    const page = await open('#/jobs')
    await find(page, 'Jobs', { Process: 'waits', Activity: 'book' }, ['trip-1', 'trip-2', 'trip-3'])
    await find(page, 'Jobs', { 'Business key': 'trip-3' }, ['trip-3'])
    await find(page, 'Jobs', { 'Business key': '', Versions: '2-3' }, ['trip-2', 'trip-3'])
    await find(page, 'Jobs', { 'Error text': 'closed' }, ['trip-2'])
    await accessible(page, 'job-filters')
    await find(page, 'Jobs', { 'Error text': '' }, ['trip-2', 'trip-3'])
    const rows = page.getByRole('region', { name: 'Jobs' }).locator('tbody tr')
    await page.getByRole('button', { name: 'Retries' }).click()
    await page.waitForURL(/sort=jobRetries%3Adesc/)
    await rows.first().getByRole('link', { name: 'trip-3' }).waitFor()
    await page.getByRole('button', { name: 'Retries' }).click()
    await rows.first().getByRole('link', { name: 'trip-2' }).waitFor()
    await done(page)
  })
})

describe('the file of a list', () => {
  it('has what the columns say, of all rows, and nothing that a spreadsheet runs', async () => {
    const page = await open(`#/instances?sort=businessKey:asc&process=waits`)
    await page.getByRole('link', { name: 'trip-3', exact: true }).waitFor()
    const lines = (await fileOf(page, page.getByTitle('Instances as a file'))).trim().split('\r\n')
    assert.equal(lines[0], 'Id of the row,State,Business key,Process,Started,Id')
    assert.equal(lines.length, 4)
    assert.match(lines[1], /^\d+,active,trip-1,Waits,\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z,\d+$/)
    assert.match(lines[2], /^\d+,incident,trip-2,Waits,/)
    await page.getByRole('link', { name: 'trip-1', exact: true }).click()
    await page.getByRole('region', { name: 'Variables' }).waitFor()
    const variables = await fileOf(page, page.getByTitle('Variables as a file'))
    assert.match(variables, /,note,"?'=1\+1, ""so"" he said"?,String,instance\r\n/)
    await done(page)
  })
})
