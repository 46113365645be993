/* Which instances a command over many means, and the jobs that do its work instance by instance. */
#include "command/instance/instances.h"

#include <stdlib.h>
#include <string.h>

#include "base/builder.h"
#include "base/value.h"
#include "job/job.h"
#include "query/query.h"

/* ---- Which ----------------------------------------------------------------------------------- */

static int compare_instance_ids(const void *a, const void *b) {
  orr_id x = *(const orr_id *)a, y = *(const orr_id *)b;
  return (x > y) - (x < y);
}

static void sort_out(orr_id *ids, uint32_t *count) {
  uint32_t kept = 0;
  qsort(ids, *count, sizeof *ids, compare_instance_ids);
  for (uint32_t i = 0; i < *count; i++)
    if (kept == 0 || ids[kept - 1] != ids[i]) ids[kept++] = ids[i];
  *count = kept;
}

static int read_instance_list(context *c, const orr_value *list, instances *out) {
  if (list->type != ORR_ARRAY && orr_count(list) > 0)
    return context_error(c, ORR_E_ARGUMENT, "instances must be an array of ids");
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, orr_count(list) + 1);
  if (!ids) return context_memory(c);
  orr_iterator at = orr_iterate(list);
  orr_value value;
  while (orr_next(&at, NULL, &value)) {
    ids[out->count] = value_id(&value);
    if (ids[out->count++] == 0) return context_error(c, ORR_E_ARGUMENT, "instances: number %u is no id", out->count);
  }
  sort_out(ids, &out->count);
  out->ids = ids;
  return 0;
}

static int run_filter(context *c, const char *verb, const orr_value *filter, instances *out) {
  orr_records *records = NULL;
  int rc = query_run(c, verb, filter, &records, NULL, &c->error);
  if (rc) return rc;
  size_t count = orr_records_count(records);
  orr_id *ids = ARENA_ARRAY(c->arena, orr_id, count + 1);
  for (size_t i = 0; ids && i < count; i++) ids[i] = (orr_id)orr_records_get(records, i, "id").as.integer;
  orr_records_free(records);
  if (!ids) return context_memory(c);
  out->count = (uint32_t)count;
  sort_out(ids, &out->count);
  out->ids = ids;
  return 0;
}

int instances_read(context *c, const char *verb, const orr_value *list, const orr_value *filter, instances *out) {
  *out = (instances){0};
  if ((list) == (filter)) return context_error(c, ORR_E_ARGUMENT, "either instances or a filter that finds them is needed");
  return list ? read_instance_list(c, list, out) : run_filter(c, verb, filter, out);
}

/* ---- By jobs --------------------------------------------------------------------------------- */

static const char key_what[] = "what", key_listeners[] = "skip_listeners", key_mappings[] = "skip_io_mappings";

static int keep_instances_in_job(context *c, rec_job *job, const instance_work *work) {
  orr_builder *b = builder_new(&c->engine->env.allocator);
  if (!b) return context_memory(c);
  orr_builder_map(b);
  orr_builder_put(b, key_what, work->what);
  orr_builder_put(b, key_listeners, orr_bool(work->skip_listeners));
  orr_builder_put(b, key_mappings, orr_bool(work->skip_io_mappings));
  orr_builder_end(b);
  int rc = builder_copy(b, c->arena, &job->data, &c->error);
  orr_builder_free(b);
  return rc;
}

int instance_job_create(context *c, int kind, rec_instance *instance, const instance_work *work) {
  definition *d = context_definition(c, instance->definition_id, &c->error);
  rec_job *job = d ? job_create(c, kind, instance, NULL, d, NULL, 0) : NULL;
  if (!job) return c->error.code;
  job->suspended = false;
  int rc = keep_instances_in_job(c, job, work);
  return rc ? rc : job_place(c, job);
}

static bool flag(const rec_job *job, const char *key) {
  orr_value value = orr_map_get(&job->data, key);
  return value.type == ORR_BOOL && value.as.boolean;
}

void instance_job_work(const rec_job *job, instance_work *out) {
  *out = (instance_work){orr_map_get(&job->data, key_what), flag(job, key_listeners), flag(job, key_mappings)};
}
