// What is known of a definition, by its id: its name, its version, the names of its elements. It never changes, so it is asked for once.
import { get } from './api.js'
import { elementNames } from '../diagram/model.js'

const KEPT = 50
const kept = new Map()

async function ask(id) {
  const [definition, model, jobs] = await Promise.all([get(`/process-definition/${id}`), get(`/process-definition/${id}/xml`),
    get('/job-definition', { processDefinitionId: id })])
  const names = elementNames(model.bpmn20Xml)
  const activities = new Map(jobs.map((each) => [each.id, each.activityId]))
  return {
    title: `${definition.name ?? definition.key} ${definition.version}`,
    activityName: (activityId) => names.get(activityId)?.name ?? activityId,
    activityOf: (jobDefinitionId) => activities.get(jobDefinitionId)
  }
}

/** { title, activityName(id), activityOf(job definition's id) }; null where the definition is gone. */
export function aboutDefinition(id) {
  if (!id) return null
  if (!kept.has(id)) {
    if (kept.size >= KEPT) kept.delete(kept.keys().next().value)
    const asked = ask(id)
    kept.set(id, asked)
    asked.catch(() => kept.delete(id))
  }
  return kept.get(id).catch(() => null)
}

/** The rows of a list, each with `about`: what is known of its definition. */
export function withDefinitions(rows) {
  return Promise.all(rows.map(async (row) => ({ ...row, about: await aboutDefinition(row.processDefinitionId) })))
}
