// A worker with Camunda's own client, unchanged: it fetches tasks of a topic from orrery serve, works, and completes them.
//   ORRERY_URL=http://127.0.0.1:8080/engine-rest TOPIC=pay node worker.js
// With ORRERY_USER and ORRERY_PASSWORD it logs in. LIMIT=n ends it after n tasks.
import { BasicAuthInterceptor, Client, Variables, logger } from "camunda-external-task-client-js";

const { ORRERY_URL = "http://127.0.0.1:8080/engine-rest", TOPIC = "pay", ORRERY_USER, ORRERY_PASSWORD, LIMIT } = process.env;
const limit = LIMIT ? Number(LIMIT) : Infinity;
let done = 0;

const client = new Client({
  baseUrl: ORRERY_URL,
  workerId: `worker-js-${process.pid}`,
  maxTasks: 10,
  asyncResponseTimeout: 10000,
  lockDuration: 10000,
  autoPoll: false,
  interceptors: ORRERY_USER ? new BasicAuthInterceptor({ username: ORRERY_USER, password: ORRERY_PASSWORD }) : undefined,
  use: logger.level("error"),
});

client.subscribe(TOPIC, async ({ task, taskService }) => {
  const variables = new Variables();
  variables.set("paid", true);
  variables.set("amount", (task.variables.get("amount") ?? 0) + 1);
  await taskService.complete(task, variables);
  console.log(`completed ${task.id} ${task.businessKey ?? ""}`);
  if (++done >= limit) client.stop();
});

client.on("complete:error", (task, error) => console.error(`not completed ${task.id}: ${error.message}`));
client.start();
