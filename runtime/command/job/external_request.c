/* Reading what workers of external tasks ask for: maps of the API, checked key by key. */
#include "command/job/external_request.h"

#include <math.h>
#include <string.h>

#include "base/nearest.h"
#include "base/value.h"
#include "command/operands.h"
#include "time/iso8601.h"

/* ---- Fields of a map ------------------------------------------------------------------------- */

/* Where a field stands, for messages: "topics[2].lock". */
typedef struct place {
  context *c;
  const orr_value *map;
  const char *prefix;
} place;

static int wrong_request(const place *p, const char *name, const char *what) {
  return context_error(p->c, ORR_E_ARGUMENT, "%s%s must be %s", p->prefix, name, what);
}

static bool request_given(const place *p, const char *name, orr_value *out) {
  *out = orr_map_get(p->map, name);
  return out->type != ORR_NIL && out->type != ORR_NULL;
}

static int take_text(const place *p, const char *name, const char **out) {
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  if (v.type != ORR_STRING) return wrong_request(p, name, "a string");
  *out = context_text(p->c, &v, name);
  return *out ? 0 : p->c->error.code;
}

static int take_flag(const place *p, const char *name, bool *out) {
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  if (v.type != ORR_BOOL) return wrong_request(p, name, "true or false");
  *out = v.as.boolean;
  return 0;
}

static int take_integer(const place *p, const char *name, int64_t *out) {
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  if (v.type != ORR_INT) return wrong_request(p, name, "an integer");
  *out = v.as.integer;
  return 0;
}

static int take_id(const place *p, const char *name, orr_id *out) {
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  *out = value_id(&v);
  return *out ? 0 : wrong_request(p, name, "an id");
}

static int take_map(const place *p, const char *name, orr_value *out) {
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  if (v.type != ORR_MAP && !(v.type == ORR_ARRAY && orr_count(&v) == 0)) return wrong_request(p, name, "a map");
  *out = v;
  return 0;
}

/* Seconds, or an ISO 8601 duration; from now it ends at a time that can be said. */
static int take_duration(const place *p, const char *name, orr_duration *out) {
  const double most = (double)((ISO_TIME_MAX - p->c->now) / 1000);
  orr_value v;
  if (!request_given(p, name, &v)) return 0;
  if (v.type == ORR_STRING) {
    const char *text = context_text(p->c, &v, name);
    if (!text) return p->c->error.code;
    return orr_duration_parse(text, p->c->now, out, &p->c->error) ? error_wrap(&p->c->error, "%s%s", p->prefix, name) : 0;
  }
  double seconds = v.type == ORR_INT ? (double)v.as.integer : v.type == ORR_FLOAT ? v.as.number : -1;
  if (!(seconds > 0 && seconds <= most)) return wrong_request(p, name, "a positive number of seconds, or an ISO 8601 duration");
  *out = llround(seconds * 1000);
  return 0;
}

static int take_names(const place *p, const char *name, orr_value *out) {
  orr_value v, item;
  if (!request_given(p, name, &v)) return 0;
  bool good = v.type == ORR_ARRAY || (v.type == ORR_MAP && orr_count(&v) == 0);
  orr_iterator at = orr_iterate(&v);
  while (good && orr_next(&at, NULL, &item)) good = item.type == ORR_STRING;
  if (!good) return wrong_request(p, name, "an array of names");
  *out = v;
  return 0;
}

/* ---- Unknown keys ---------------------------------------------------------------------------- */

/* "a, b, c" */
static const char *known_names(context *c, const char *const *names) {
  const char *text = *names;
  for (names++; text && *names; names++) text = arena_printf(c->arena, "%s, %s", text, *names);
  return text ? text : "";
}

static int check_request_keys(const place *p, const char *const *names) {
  orr_iterator at = orr_iterate(p->map);
  orr_value key, value;
  while (orr_next(&at, &key, &value)) {
    nearest best = nearest_to(key.as.bytes, key.size);
    bool known = false;
    for (const char *const *name = names; *name && !known; name++) {
      known = value_is_text(&key, *name);
      nearest_offer(&best, *name, strlen(*name));
    }
    if (known) continue;
    const char *near = best.name ? arena_printf(p->c->arena, "; did you mean \"%s\"?", best.name) : "";
    return context_error(p->c, ORR_E_ARGUMENT, "there is no %s%.*s%s%s known are %s", p->prefix, (int)key.size, key.as.bytes,
                         near ? near : "", near && *near ? "" : ";", known_names(p->c, names));
  }
  return 0;
}

/* ---- The request ----------------------------------------------------------------------------- */

static int read_topic(context *c, const orr_value *map, uint32_t position, external_topic *topic, topic_request *asked) {
  static const char *const keys[] = {"name", "lock", "variables", "local_variables", "extension_properties", "business_key",
                                     "definition_id", "definition_key", "version_tag", "tenant", "match", NULL};
  place p = {c, map, arena_printf(c->arena, "topics[%u].", position + 1)};
  if (!p.prefix) return context_memory(c);
  if (map->type != ORR_MAP) return context_error(c, ORR_E_ARGUMENT, "topics[%u] must be a map", position + 1);
  int rc = check_request_keys(&p, keys);
  if (!rc) rc = take_text(&p, "name", &topic->name);
  if (!rc) rc = take_duration(&p, "lock", &topic->lock);
  if (!rc) rc = take_names(&p, "variables", &asked->variables);
  if (!rc) rc = take_flag(&p, "local_variables", &topic->local_variables);
  if (!rc) rc = take_flag(&p, "extension_properties", &asked->extension_properties);
  if (!rc) rc = take_text(&p, "business_key", &topic->business_key);
  if (!rc) rc = take_id(&p, "definition_id", &topic->definition_id);
  if (!rc) rc = take_text(&p, "definition_key", &topic->definition_key);
  if (!rc) rc = take_text(&p, "version_tag", &topic->version_tag);
  if (!rc) rc = take_text(&p, "tenant", &topic->tenant);
  if (!rc) rc = take_map(&p, "match", &topic->match);
  return rc;
}

static int read_topics(const place *p, fetch_request *out) {
  orr_value list, item;
  if (!request_given(p, "topics", &list)) return wrong_request(p, "topics", "an array of topics");
  size_t count = orr_count(&list);
  if (count == 0) return 0; /* nothing is asked for, and nothing is found */
  if (list.type != ORR_ARRAY) return wrong_request(p, "topics", "an array of topics");
  external_topic *topics = ARENA_ARRAY(p->c->arena, external_topic, count);
  topic_request *asked = ARENA_ARRAY(p->c->arena, topic_request, count);
  if (!topics || !asked) return context_memory(p->c);
  orr_iterator at = orr_iterate(&list);
  int rc = 0;
  for (uint32_t i = 0; !rc && orr_next(&at, NULL, &item); i++) rc = read_topic(p->c, &item, i, &topics[i], &asked[i]);
  out->fetch.topics = topics;
  out->fetch.n_topics = (uint32_t)count;
  out->asked = asked;
  return rc;
}

/* "created", or { { "created", "desc" } }. */
static int read_fetch_order(const place *p, external_fetch *out) {
  orr_value order, item = {0}, by = {0}, direction = {0};
  if (!request_given(p, "order_by", &order)) return 0;
  out->order = EXTERNAL_ORDER_CREATED;
  if (value_is_text(&order, "created")) return 0;
  orr_iterator at = orr_iterate(&order);
  if (orr_next(&at, NULL, &item)) {
    orr_iterator parts = orr_iterate(&item);
    if (orr_next(&parts, NULL, &by)) (void)orr_next(&parts, NULL, &direction);
  }
  bool down = value_is_text(&direction, "desc");
  bool known = down || direction.type == ORR_NIL || value_is_text(&direction, "asc");
  bool good = order.type == ORR_ARRAY && orr_count(&order) == 1 && value_is_text(&by, "created") && known;
  if (!good) return wrong_request(p, "order_by", "\"created\" or { { \"created\", \"desc\" } }");
  if (down) out->order = EXTERNAL_ORDER_CREATED_DESC;
  return 0;
}

int request_read(context *c, const orr_value *request, fetch_request *out) {
  static const char *const keys[] = {"worker", "max", "use_priority", "order_by", "topics", NULL};
  place p = {c, request, ""};
  orr_value max;
  *out = (fetch_request){0};
  if (!request || request->type != ORR_MAP) return context_error(c, ORR_E_ARGUMENT, "a request to fetch must be a map");
  int rc = check_request_keys(&p, keys);
  if (!rc) rc = take_text(&p, "worker", &out->fetch.worker);
  if (!rc && !request_given(&p, "max", &max))
    rc = context_error(c, ORR_E_ARGUMENT, "max must say how many tasks are wanted at most");
  if (!rc) rc = take_integer(&p, "max", &out->fetch.max);
  if (!rc) rc = take_flag(&p, "use_priority", &out->fetch.use_priority);
  if (!rc) rc = read_fetch_order(&p, &out->fetch);
  return rc ? rc : read_topics(&p, out);
}

bool request_names(const orr_value *names, const orr_value *name) {
  orr_iterator at = orr_iterate(names);
  orr_value item;
  while (orr_next(&at, NULL, &item))
    if (item.size == name->size && memcmp(item.as.bytes, name->as.bytes, name->size) == 0) return true;
  return false;
}

int request_check_failure(context *c, const orr_value *failure) {
  static const char *const keys[] = {"message", "details", "retries", "retry_timeout", "variables", "local_variables", NULL};
  place p = {c, failure, ""};
  orr_value unused = {0};
  const char *text = NULL;
  int rc = operand_map(c, failure, "a failure");
  if (rc || !map_given(failure)) return rc;
  rc = check_request_keys(&p, keys);
  if (!rc) rc = take_text(&p, "message", &text);
  if (!rc) rc = take_text(&p, "details", &text);
  if (!rc) rc = take_map(&p, "variables", &unused);
  return rc ? rc : take_map(&p, "local_variables", &unused);
}
