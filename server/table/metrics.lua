-- What was counted, by all processes on a store.
return {
  dtos = {
    MetricsResultDto = { { "result", "int" }, written = true },
    MetricsIntervalResultDto = { { "timestamp", "time" }, { "name", "text" }, { "reporter", "text" }, { "value", "int" },
      written = true },
  },
  queries = {},
  operations = {
    { "GET", "/metrics", "metrics_intervals", "What was counted, by intervals of a quarter of an hour or several. Below \z
      /engine-rest; the server's own metrics are at /metrics.", slow = true, returns = "[MetricsIntervalResultDto]", args = {
        { "name", "text", "name" }, { "reporter", "text", "reporter" }, { "startDate", "time", "from" }, { "endDate", "time", "to" },
        { "firstResult", "idle" }, { "maxResults", "idle" }, { "interval", "idle" }, { "aggregateByReporter", "idle" } } },
    { "DELETE", "/metrics/task-worker", "task_workers_delete", "Forgets who was given tasks, before a time.", role = "operate",
      args = { { "date", "time", "before" } } },
    { "GET", "/metrics/{metrics-name}/sum", "metrics_sum", "What was counted of a name, by all processes.", slow = true,
      returns = "MetricsResultDto", args = { { "startDate", "time", "from" }, { "endDate", "time", "to" } } },
  },
}
