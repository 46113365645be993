/* The checker. It reads bytes, not units, because it looks for what a unit of work would fail on.
 * Memory stays constant: one arena for the record at hand, emptied before the next. */
#include "uow/verify.h"

#include <inttypes.h>
#include <stdio.h>

#include "uow/ready.h"
#include "uow/succession.h"
#include "uow/uow_internal.h"

#define VERIFY_A_WORD 4096 /* entries; so often it is told how far the check is: every few milliseconds */

typedef struct verifier {
  unit *u; /* for its snapshot, and the orders in use */
  store_snapshot *snapshot;
  orr_arena *arena; /* the record at hand */
  ready_orders orders;
  const verify_listener *listener;
  verify_counts *counts;
  orr_error *err;
  unit_source *source;
  uint64_t entries; /* read so far */
  uint64_t pages, entries_there; /* that there are, for telling how far it is */
  uint8_t last[STORE_KEY_MAX]; /* the key before */
  size_t last_size;
} verifier;

/* Which fields refer to what; each target is the tag of a kind of record, one of which must have it. Zero refers to nothing. */
static const struct reference {
  const rec_type *type;
  const char *field, *targets;
} references[] = {
    {&rec_resource_type, "deployment_id", "D"},     {&rec_definition_type, "deployment_id", "D"},
    {&rec_job_definition_type, "definition_id", "P"}, {&rec_instance_type, "definition_id", "P"},
    {&rec_instance_type, "root_id", "I"},           {&rec_instance_type, "parent_id", "I"},
    {&rec_instance_type, "super_execution", "E"},   {&rec_execution_type, "parent", "EI"},
    {&rec_execution_type, "called_id", "I"},        {&rec_execution_type, "task_id", "TX"},
    {&rec_execution_type, "job_id", "W"},           {&rec_join_type, "scope", "EI"},
    {&rec_variable_type, "scope", "EITX"},          {&rec_subscription_type, "execution_id", "EI"},
    {&rec_subscription_type, "instance_id", "I"},   {&rec_subscription_type, "definition_id", "P"},
    {&rec_task_type, "instance_id", "I"},           {&rec_task_type, "execution_id", "E"},
    {&rec_link_type, "task_id", "T"},               {&rec_external_task_type, "instance_id", "I"},
    {&rec_external_task_type, "execution_id", "E"}, {&rec_job_type, "instance_id", "I"},
    {&rec_job_type, "execution_id", "EI"},          {&rec_job_type, "job_definition_id", "Q"},
    {&rec_incident_type, "instance_id", "I"},       {&rec_incident_type, "execution_id", "EI"},
    {&rec_incident_type, "job_id", "WX"}, /* a failed job, or a failed external task */
};

static void report_damage(verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report_damage(verifier *v, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  v->counts->problems++;
  v->listener->problem(v->listener->ud, text);
}

static int reference_exists(verifier *v, store_bytes key, bool *out) {
  store_bytes value;
  int rc = store_get(v->snapshot, key, &value, v->err);
  *out = !rc;
  return rc == ORR_E_NOT_FOUND ? 0 : rc;
}

/* Decodes a stored value; *out is NULL when it is damaged, which was reported then. */
static int read_record(verifier *v, const rec_type *type, store_bytes key, store_bytes value, rec_head **out) {
  rec_head *head = arena_zalloc(v->arena, type->size);
  uint8_t *copy = arena_alloc(v->arena, value.size + 1); /* texts of the record point into it */
  if (!head || !copy) return error_memory(v->err);
  memcpy(copy, value.data, value.size);
  orr_error failure = {0};
  int rc = record_decode(type, head, v->arena, key, (store_bytes){copy, value.size}, &failure);
  if (rc == ORR_E_STORE) report_damage(v, "%s", failure.message ? failure.message : orr_strerror(rc));
  orr_error_clear(&failure);
  head->type = type;
  head->key = key.data;
  head->key_size = (uint16_t)key.size;
  *out = rc ? NULL : head;
  return rc == ORR_E_STORE ? 0 : rc;
}

/* ---- Records: their rows and what they refer to ---------------------------------------------- */

static int verify_row(verifier *v, const rec_head *head, const uint8_t *row, size_t size, const char *index) {
  bool there = true;
  char name[128];
  if (size == 0) return 0;
  int rc = size == KEY_TOO_LONG ? 0 : reference_exists(v, (store_bytes){row, size}, &there);
  if (rc) return rc;
  record_describe((store_bytes){head->key, head->key_size}, name, sizeof name);
  if (size == KEY_TOO_LONG) report_damage(v, "%s is too long for its index %s", name, index);
  else if (!there) report_damage(v, "%s has no row in index %s", name, index);
  return 0;
}

static int check_rows(verifier *v, const rec_head *head) {
  uint8_t row[STORE_KEY_MAX];
  for (uint8_t i = 0; i < head->type->n_indexes; i++) {
    const rec_index_type *index = &head->type->indexes[i];
    int rc = verify_row(v, head, row, index_row(index, head, head, row), index->name);
    if (rc) return rc;
  }
  for (uint8_t number = 0; head->type->ready_orders && number < READY_ORDERS; number++) {
    if ((v->orders.built >> number & 1) == 0) continue;
    size_t size = ready_row((ready_order){number, v->orders.tau_ms}, (const rec_job *)head, row);
    int rc = verify_row(v, head, row, size, "ready");
    if (rc) return rc;
  }
  return 0;
}

static const rec_field *verify_field(const rec_type *type, const char *name) {
  for (uint8_t i = 0; i < type->n_fields; i++)
    if (strcmp(type->fields[i].name, name) == 0) return &type->fields[i];
  return NULL;
}

/* Is there a record with this id at the key of an earlier job? */
static int successor_exists(verifier *v, const rec_type *type, orr_id id, bool *out) {
  store_cursor *row = NULL;
  store_bytes key, value;
  rec_head *head = NULL;
  int rc = succession_seek(v->snapshot, type, id, &row, &key, &value, v->err);
  if (!rc) rc = read_record(v, type, key, value, &head);
  *out = head && record_id(head) == id;
  store_cursor_close(row);
  return rc == ORR_E_NOT_FOUND ? 0 : rc;
}

static int record_with_id_exists(verifier *v, char tag, orr_id id, bool *out) {
  const rec_type *type = rec_type_by_tag(tag);
  uint8_t key[KEY_ID_SIZE];
  if (type->succeeds) return successor_exists(v, type, id, out);
  key_of_id(tag, id, key);
  return reference_exists(v, (store_bytes){key, sizeof key}, out);
}

static int check_reference(verifier *v, const rec_head *head, const struct reference *reference) {
  const rec_field *field = verify_field(head->type, reference->field);
  orr_id id = *(const orr_id *)record_field(head, field);
  bool there = id == 0;
  for (const char *target = reference->targets; !there && *target != 0; target++) {
    int rc = record_with_id_exists(v, *target, id, &there);
    if (rc) return rc;
  }
  if (!there) {
    char name[128];
    record_describe((store_bytes){head->key, head->key_size}, name, sizeof name);
    report_damage(v, "%s: %s %" PRIu64 " is not there", name, reference->field, id);
  }
  return 0;
}

/* An index that finds jobs by their ids must find them at their own keys. */
static void check_succession(verifier *v, const rec_head *head) {
  char name[128];
  if (!succession_ends(head)) return;
  record_describe((store_bytes){head->key, head->key_size}, name, sizeof name);
  report_damage(v, "%s has been followed by job %" PRIu64 ", which nobody has locked", name, record_id(head));
}

static int check_record(verifier *v, const rec_type *type, store_bytes key, store_bytes value) {
  rec_head *head = NULL;
  v->counts->records++;
  int rc = read_record(v, type, key, value, &head);
  if (rc || !head) return rc;
  check_succession(v, head);
  rc = check_rows(v, head);
  for (size_t i = 0; !rc && i < sizeof references / sizeof *references; i++)
    if (references[i].type == type) rc = check_reference(v, head, &references[i]);
  if (!rc && type == &rec_instance_type && v->listener->instance)
    rc = v->listener->instance(v->listener->ud, v->u, ((const rec_instance *)head)->id, v->err);
  return rc;
}

/* ---- Rows: the record they belong to --------------------------------------------------------- */

/* The record a row names must be there, and make exactly this row. `again` makes the row from the record. */
static int check_owner(verifier *v, store_bytes row, store_bytes key, const rec_index_type *index, ready_order order,
                       const char *name) {
  const rec_type *type = index ? index->type : &rec_job_type;
  store_bytes value;
  rec_head *head = NULL;
  uint8_t again[STORE_KEY_MAX];
  int rc = store_get(v->snapshot, key, &value, v->err);
  if (rc == ORR_E_NOT_FOUND) {
    char owner[128];
    record_describe(key, owner, sizeof owner);
    report_damage(v, "a row of index %s names %s, which is not there", name, owner);
    return 0;
  }
  if (!rc) rc = read_record(v, type, key, value, &head);
  if (rc || !head) return rc;
  size_t size = index ? index_row(index, head, head, again) : ready_row(order, (const rec_job *)head, again);
  if (size != row.size || memcmp(again, row.data, row.size) != 0) {
    char owner[128];
    record_describe(key, owner, sizeof owner);
    report_damage(v, "a row of index %s does not fit %s", name, owner);
  }
  return 0;
}

static int check_index_row(verifier *v, store_bytes row) {
  const uint8_t *bytes = row.data;
  const rec_index_type *index = row.size > 1 && bytes[1] < REC_INDEX_COUNT ? rec_indexes[bytes[1]] : NULL;
  store_bytes key;
  v->counts->rows++;
  if (!index || index_row_key(index, row, &key)) {
    char name[128];
    record_describe(row, name, sizeof name);
    report_damage(v, "%s belongs to no index", name);
    return 0;
  }
  return check_owner(v, row, key, index, (ready_order){0}, index->name);
}

static int check_ready_row(verifier *v, store_bytes row) {
  const uint8_t *bytes = row.data;
  v->counts->rows++;
  if (row.size < 2 + KEY_ID_SIZE || bytes[1] >= READY_ORDERS || (v->orders.active >> bytes[1] & 1) == 0) {
    char name[128];
    record_describe(row, name, sizeof name);
    report_damage(v, "%s belongs to no order of ready jobs", name);
    return 0;
  }
  store_bytes key = {bytes + row.size - KEY_ID_SIZE, KEY_ID_SIZE};
  return check_owner(v, row, key, NULL, (ready_order){bytes[1], v->orders.tau_ms}, "ready");
}

static int check_entry(verifier *v, store_bytes key, store_bytes value) {
  char tag = *(const char *)key.data;
  if (tag == KEY_INDEX_TAG) return check_index_row(v, key);
  if (tag == KEY_READY_TAG) return check_ready_row(v, key);
  const rec_type *type = rec_type_by_tag(tag);
  if (type) return check_record(v, type, key, value);
  char name[128];
  record_describe(key, name, sizeof name);
  report_damage(v, "%s is of no known kind", name);
  return 0;
}

/* ---- The tree: what a page that lies in another's place looks like --------------------------- */

/* Keys must ascend. One that does not belongs elsewhere, and the one that belongs here is
 * missing. */
static void check_ascends(verifier *v, store_bytes key) {
  size_t common = key.size < v->last_size ? key.size : v->last_size;
  int order = memcmp(v->last, key.data, common);
  bool ascends = v->entries == 0 || order < 0 || (order == 0 && key.size > v->last_size);
  char name[128];
  record_describe(key, name, sizeof name);
  if (!ascends) report_damage(v, "%s is out of order", name);
  memcpy(v->last, key.data, key.size);
  v->last_size = key.size;
  v->entries++;
}

/* A look-up of the key must find exactly this. */
static int check_found(verifier *v, store_bytes key, store_bytes value) {
  store_bytes found;
  char name[128];
  int rc = store_get(v->snapshot, key, &found, v->err);
  bool same = !rc && found.size == value.size && (value.size == 0 || memcmp(found.data, value.data, value.size) == 0);
  if ((rc && rc != ORR_E_NOT_FOUND) || same) return rc;
  record_describe(key, name, sizeof name);
  report_damage(v, rc ? "%s is there, but not found by its key" : "%s is there more than once", name);
  return 0;
}

static int verify_next(verifier *v, store_cursor *cursor) {
  store_bytes key, value;
  arena_reset(v->arena);
  int rc = store_next(cursor, &key, &value, v->err);
  if (rc) return rc;
  check_ascends(v, key);
  rc = check_found(v, key, value);
  return rc ? rc : check_entry(v, key, value);
}

/* Others write meanwhile, so there may be more entries than were counted. */
static void tell_verified(const verifier *v) {
  uint64_t done = v->entries < v->entries_there ? v->entries : v->entries_there;
  store_tell(&v->listener->progress, v->pages + done, v->pages + v->entries_there);
}

/* What cannot be read is a finding, too. */
static int verify_all(verifier *v) {
  store_range everything = {0};
  store_cursor *cursor = NULL;
  int rc = store_scan(v->snapshot, &everything, &cursor, v->err);
  while (!rc) {
    if (v->entries % VERIFY_A_WORD == 0) tell_verified(v);
    rc = verify_next(v, cursor);
  }
  store_cursor_close(cursor);
  if (rc == ORR_E_NOT_FOUND) return 0;
  if (rc != ORR_E_STORE) return rc;
  report_damage(v, "behind %" PRIu64 " entries: %s", v->entries, v->err->message);
  orr_error_clear(v->err);
  v->entries = UINT64_MAX; /* nobody knows */
  return 0;
}

/* The store's own count, unless others wrote meanwhile. */
static int verify_count(verifier *v, const store_stats *before) {
  store_stats after;
  int rc = store_get_stats(unit_source_store(v->source), &after, v->err);
  bool comparable = !rc && after.commits == before->commits && v->entries != UINT64_MAX;
  if (comparable && before->entries != v->entries)
    report_damage(v, "the store counts %" PRIu64 " entries and has %" PRIu64, before->entries, v->entries);
  return rc;
}

static void report_page(void *ud, const char *sentence) { report_damage(ud, "%s", sentence); }

static void tell_pages(void *ud, uint64_t done, uint64_t pages) {
  verifier *v = ud;
  v->pages = pages;
  store_tell(&v->listener->progress, done, pages + v->entries_there);
}

/* Records on damaged pages are not read, because that could crash the process. */
static int verify_pages_and_all(verifier *v) {
  bool unsafe;
  store_page_listener pages = {v, report_page, {tell_pages, v}};
  int rc = store_check_pages(v->snapshot, &pages, &unsafe, v->err);
  if (rc || unsafe) v->entries = UINT64_MAX;
  return rc || unsafe ? rc : verify_all(v);
}

static int verify_view(verifier *v) {
  v->arena = arena_new(&unit_source_env(v->source)->allocator);
  if (!v->arena) return error_memory(v->err);
  v->u = unit_begin(v->source, v->err);
  v->snapshot = v->u ? unit_snapshot(v->u, v->err) : NULL;
  int rc = v->snapshot ? ready_orders_read(v->u, &v->orders, v->err) : v->err->code;
  if (!rc) rc = verify_pages_and_all(v);
  unit_end(v->u);
  arena_free(v->arena);
  return rc;
}

int store_verify(unit_source *source, const verify_listener *listener, verify_counts *counts, orr_error *err) {
  orr_error failure = {0};
  verifier v = {.listener = listener, .counts = counts, .err = &failure, .source = source};
  store_stats before;
  *counts = (verify_counts){0};
  int rc = store_get_stats(unit_source_store(source), &before, &failure);
  v.entries_there = before.entries;
  if (!rc) rc = verify_view(&v);
  if (!rc) rc = verify_count(&v, &before);
  if (!rc) tell_verified(&v); /* all of it, also where nobody knows */
  if (rc) error_move(err, &failure);
  return rc;
}
