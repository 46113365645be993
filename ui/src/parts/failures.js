// What is out of retries: jobs, and external tasks, which are retried together.
import { post } from '../app/api.js'
import { now } from '../app/retry.js'

/** Gives jobs and external tasks attempts by batches, at once; one of the batches. */
export async function retryFailures(jobIds, externalTaskIds, retries) {
  const ofTasks = externalTaskIds.length ? await post('/external-task/retries-async', { externalTaskIds, retries }) : null
  return jobIds.length ? post('/job/retries', { jobIds, retries, dueDate: now() }) : ofTasks
}
