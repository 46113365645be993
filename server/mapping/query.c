/* Camunda's query parameters as filters of the engine's lists, and the three operations that are nothing else. */
#include "server/mapping/query.h"

#include <string.h>
#include <strings.h>

#include "rest_table.h"
#include "server/auth/people.h"
#include "server/mapping/clash.h"
#include "server/mapping/conditions.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/order.h"
#include "server/mapping/tasks.h"
#include "server/mapping/records.h"
#include "server/transport/json_in.h"
#include "server/transport/scalars.h"

/* ---- Words ------------------------------------------------------------------------------------ */

static const struct name_pair {
  const char *which, *theirs, *ours;
} name_pairs[] = {
    {"incident_types", "failedJob", "failed_job"},
    {"incident_types", "failedExternalTask", "failed_external_task"},
    {"event_types", "compensate", "compensation"},
};

const char *names_ours(const char *which, const char *name) {
  for (size_t i = 0; i < sizeof name_pairs / sizeof name_pairs[0]; i++)
    if (strcmp(name_pairs[i].which, which) == 0 && strcmp(name_pairs[i].theirs, name) == 0) return name_pairs[i].ours;
  return name;
}

const char *names_theirs(const char *which, const char *name) {
  for (size_t i = 0; i < sizeof name_pairs / sizeof name_pairs[0]; i++)
    if (strcmp(name_pairs[i].which, which) == 0 && strcmp(name_pairs[i].ours, name) == 0) return name_pairs[i].theirs;
  return name;
}

/* ---- One parameter ---------------------------------------------------------------------------- */

/* What was given for a parameter: a text of the query string, or a member of the query `of`. */
typedef struct given {
  const char *text;
  const json_t *json, *of;
} given;

static bool param_refuse(request *q, const param *p, const char *wanted) {
  request_refuse(q, "Cannot set query parameter '%s': %s expected", p->name, wanted);
  return false;
}

/* Nothing, in the query string, is as false is. */
static bool param_bool(request *q, const param *p, given g, bool *out) {
  json_t *is = g.text ? NULL : scalar_as(g.json, SCALAR_BOOL);
  bool sound = g.text ? !*g.text || scalar_bool_of_text(g.text, out)
                      : json_is_boolean(is) || json_is_null(is);
  if (!g.text) *out = json_is_true(is);
  else if (!*g.text) *out = false;
  json_decref(is);
  return sound ? true : param_refuse(q, p, "true or false");
}

static bool param_int(request *q, const param *p, given g, int64_t *out) {
  json_t *is = g.text ? NULL : scalar_as(g.json, SCALAR_INT);
  bool sound = g.text ? scalar_int_of_text(g.text, out) : json_is_integer(is);
  if (!g.text) *out = json_integer_value(is);
  json_decref(is);
  return sound ? true : param_refuse(q, p, "an integer");
}

/* NULL: it is no text. One with a zero byte fits no name. */
static const char *param_text(request *q, const param *p, given g) {
  if (g.text) return g.text;
  json_t *is = scalar_as(g.json, SCALAR_TEXT);
  const char *text = json_string_value(is);
  bool whole = text && strlen(text) == json_string_length(is);
  const char *kept = whole ? request_copy(q, text) : NULL;
  json_decref(is);
  if (!kept && !q->status) param_refuse(q, p, "a text");
  return kept;
}

static bool param_time(request *q, const param *p, given g, orr_builder *b) {
  json_t *is = g.text ? NULL : scalar_as(g.json, SCALAR_TIME);
  const char *text = is || g.text ? param_text(q, p, (given){g.text, is, NULL}) : NULL;
  orr_time time;
  json_decref(is);
  if (!text) return q->status ? false : param_refuse(q, p, "a date");
  if (orr_time_parse(text, &time, NULL)) return param_refuse(q, p, "a date such as 2026-01-31T12:00:00.000+0000");
  orr_builder_put(b, p->key, orr_seconds(time));
  return true;
}

/* A type as variables have it, whatever its capitals. */
static const char *param_type_name(const char *text) {
  static const char *const names[] = {"Null",   "Boolean", "Short", "Integer", "Long", "Double",
                                      "String", "Date",    "Bytes", "File",    "Xml",  "Json",
                                      "Object"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcasecmp(names[i], text) == 0) return names[i];
  return text;
}

static bool param_list_add(request *q, const param *p, const char *text, orr_builder *b) {
  const char *id = text && p->kind == PARAM_TASKS   ? task_id_text(q, text)
                   : text && p->kind == PARAM_TYPES ? param_type_name(text)
                                                    : text;
  orr_value item = orr_string(id);
  if (id) orr_builder_add(b, &item);
  return id;
}

static bool param_items(request *q, const param *p, given g, orr_builder *b) {
  char *copy = g.text ? request_copy(q, g.text) : NULL, *save = NULL;
  orr_value none = orr_string("");
  if (g.text && !copy) return false;
  if (copy && !*copy) orr_builder_add(b, &none);
  for (char *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save))
    if (!param_list_add(q, p, at, b)) return false;
  for (size_t i = 0; !copy && i < json_array_size(g.json); i++) {
    const char *text = param_text(q, p, (given){.json = json_array_get(g.json, i)});
    if (!param_list_add(q, p, text, b)) return false;
  }
  return true;
}

static bool param_list(request *q, const param *p, given g, orr_builder *b) {
  if (!g.text && !json_is_array(g.json)) return param_refuse(q, p, "an array of texts");
  orr_builder_key(b, p->key, strlen(p->key));
  orr_builder_array(b);
  if (!param_items(q, p, g, b)) return false;
  orr_value null = orr_null();
  bool none = p->word &&
              (g.text ? request_flag(q, p->word) : scalar_is_true(json_object_get(g.of, p->word)));
  if (none) orr_builder_add(b, &null); /* those of none, too */
  orr_builder_end(b);
  return true;
}

/* before_TIME, after_TIME, or { operator, value }: before is lt, after is gt. */
static bool param_times(request *q, const param *p, given g, orr_builder *b) {
  condition all[CONDITIONS_MAX];
  size_t n = 0;
  char *copy = g.text ? request_copy(q, g.text) : NULL;
  if (g.text ? !copy : !json_is_array(g.json)) return q->status ? false : param_refuse(q, p, "conditions on a date");
  for (char *save = NULL, *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save)) {
    char *value = strchr(at, '_');
    if (!value || n == CONDITIONS_MAX) return param_refuse(q, p, "operator_date");
    *value = '\0';
    all[n++] = (condition){.op = at, .text = value + 1};
  }
  for (size_t i = 0; !copy && i < json_array_size(g.json) && n < CONDITIONS_MAX; i++) {
    const json_t *item = json_array_get(g.json, i);
    all[n++] = (condition){.op = json_string_value(json_object_get(item, "operator")),
                           .text = json_string_value(json_object_get(item, "value"))};
  }
  for (size_t i = 0; i < n; i++) {
    bool before = all[i].op && (strcmp(all[i].op, "lt") == 0 || strcmp(all[i].op, "before") == 0);
    bool after = all[i].op && (strcmp(all[i].op, "gt") == 0 || strcmp(all[i].op, "after") == 0);
    char *key = request_printf(q, "%s_%s", p->key, before ? "before" : "after");
    if ((!before && !after) || !all[i].text || !key) return param_refuse(q, p, "lt or gt, and a date");
    if (!param_time(q, &(param){.name = p->name, .key = key}, (given){.text = all[i].text}, b))
      return false;
  }
  return true;
}

/* A flag that is false says nothing, as in Camunda. */
static bool param_flag(request *q, const param *p, given g, orr_builder *b) {
  bool on;
  if (!param_bool(q, p, g, &on)) return false;
  if (p->kind == PARAM_BOOL) orr_builder_put(b, p->key, orr_bool(on));
  if (!on || p->kind == PARAM_BOOL) return true;
  if (p->kind == PARAM_NONE || p->kind == PARAM_SOME) orr_builder_put(b, p->key, orr_null());
  else if (p->kind == PARAM_WORD) orr_builder_put(b, p->key, orr_string(p->word));
  else orr_builder_put(b, p->key, orr_bool(p->kind != PARAM_NOT));
  return true;
}

/* Is the flag `p->word` on, beside what is given? */
static bool param_flagged(const request *q, const param *p, given g) {
  if (!p->word) return false;
  return g.of ? scalar_is_true(json_object_get(g.of, p->word)) : request_flag(q, p->word);
}

/* The key of a parameter whose texts have no case: of patterns and of equality. */
static const char *param_caseless(request *q, const char *key) {
  size_t size = strlen(key), like = strlen("_like");
  if (size > like && strcmp(key + size - like, "_like") == 0)
    return request_printf(q, "%.*s_ilike", (int)(size - like), key);
  return request_printf(q, "%s_ieq", key);
}

static bool param_cased(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g), *key = p->key;
  if (text && param_flagged(q, p, g)) key = param_caseless(q, p->key);
  if (text && key) orr_builder_put(b, key, orr_string(text));
  return text && key;
}

/* A text that is a date means the date, or itself. */
static bool param_value(request *q, const param *p, given g, orr_builder *b) {
  const char *text = g.text ? g.text : json_string_value(g.json);
  orr_value date, own = orr_string(text ? text : "");
  if (json_is_object(g.json) || json_is_array(g.json)) return param_refuse(q, p, "a plain value");
  bool dated = text && condition_is_date(text, &date);
  const char *key = dated                                 ? request_printf(q, "%s_in", p->key)
                    : text && param_flagged(q, p, g) ? param_caseless(q, p->key)
                                                     : p->key;
  if (!key) return false;
  orr_builder_key(b, key, strlen(key));
  if (dated) {
    orr_builder_array(b);
    orr_builder_add(b, &own);
    orr_builder_add(b, &date);
    orr_builder_end(b);
  } else if (g.text) {
    orr_builder_add(b, &own);
  } else {
    return body_to_value(g.json, b);
  }
  return true;
}

static bool param_words(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g);
  if (!text) return false;
  if (p->kind == PARAM_LOWER) {
    char *lower = request_copy(q, text);
    for (char *at = lower; at && *at; at++) *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
    if (lower) orr_builder_put(b, p->key, orr_string(lower));
    return lower;
  }
  orr_builder_put(b, p->key, orr_string(p->word ? names_ours(p->word, text) : text));
  return true;
}

static bool param_task(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g), *id = text ? task_id_text(q, text) : NULL;
  if (id) orr_builder_put(b, p->key, orr_string(id));
  return id;
}

/* The number behind the last colon; what is no such id fits no row. */
static orr_value row_number(const char *id) {
  const char *colon = strrchr(id, ':');
  return orr_int(colon ? (int64_t)id_of_text(colon + 1) : 0);
}

static bool param_row(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g);
  if (text) orr_builder_put(b, p->key, row_number(text));
  return text;
}

static bool param_row_item(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g);
  orr_value number = row_number(text ? text : "");
  orr_builder_add(b, &number);
  return text;
}

static bool param_rows(request *q, const param *p, given g, orr_builder *b) {
  char *copy = g.text ? request_copy(q, g.text) : NULL, *save = NULL;
  if (g.text ? !copy : !json_is_array(g.json))
    return q->status ? false : param_refuse(q, p, "an array of ids");
  orr_builder_key(b, p->key, strlen(p->key));
  orr_builder_array(b);
  for (char *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save))
    if (!param_row_item(q, p, (given){.text = at}, b)) return false;
  for (size_t i = 0; !copy && i < json_array_size(g.json); i++)
    if (!param_row_item(q, p, (given){.json = json_array_get(g.json, i)}, b)) return false;
  orr_builder_end(b);
  return true;
}

/* What is no such id fits no row. */
static bool param_log(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g);
  int64_t parts[3] = {0};
  if (!text) return false;
  bool sound = records_key_parts(text, parts, 3);
  orr_builder_put(b, "instance_id", sound && parts[0] ? orr_int(parts[0]) : orr_null());
  orr_builder_put(b, p->key, orr_int(sound ? parts[1] : 0));
  orr_builder_put(b, "number", orr_int(sound ? parts[2] : -1));
  return true;
}

/* Those that ask for something else than those before them; query_again adds the others. */
static bool param_variables(request *q, const param *p, given g, orr_builder *b) {
  conditions all;
  if (!conditions_read(q, p->name, g.json, g.text, &all)) return false;
  orr_builder_key(b, p->key, strlen(p->key));
  conditions_write(&all, 0, b);
  return true;
}

static bool param_read(request *q, const param *p, given g, orr_builder *b) {
  int64_t n;
  bool on;
  switch (p->kind) {
    case PARAM_TEXT: case PARAM_LIKE: case PARAM_ID: case PARAM_LOWER: return param_words(q, p, g, b);
    case PARAM_TASK: return param_task(q, p, g, b);
    case PARAM_TEXTS: case PARAM_IDS: case PARAM_TASKS: case PARAM_TYPES:
      return param_list(q, p, g, b);
    case PARAM_LOG: return param_log(q, p, g, b);
    case PARAM_ROW: return param_row(q, p, g, b);
    case PARAM_ROWS: return param_rows(q, p, g, b);
    case PARAM_TIME: return param_time(q, p, g, b);
    case PARAM_TIMES: return param_times(q, p, g, b);
    case PARAM_FLAG:
    case PARAM_NOT:
    case PARAM_BOOL:
    case PARAM_NONE:
    case PARAM_SOME:
    case PARAM_BESIDE:
    case PARAM_WORD: return param_flag(q, p, g, b);
    case PARAM_VALUE: return param_value(q, p, g, b);
    case PARAM_CASED: return param_cased(q, p, g, b);
    case PARAM_SWITCH: return param_bool(q, p, g, &on);
    case PARAM_IDLE:
    case PARAM_OWN:
    case PARAM_ANY:
    case PARAM_BEFORE_OR_NONE:
    case PARAM_PERMITTED: return true; /* query_all sees to them */
    case PARAM_INT:
      if (!param_int(q, p, g, &n)) return false;
      orr_builder_put(b, p->key, orr_int(n));
      return true;
    case PARAM_VARIABLES: return param_variables(q, p, g, b);
    case PARAM_UNBUILT: break;
  }
  request_refuse(q, "The query parameter '%s' is not built: %s", p->name, p->key);
  return false;
}

/* ---- Pages ------------------------------------------------------------------------------------ */

static bool page_read(request *q, const char *name, const char *key, orr_builder *b) {
  const char *text = request_argument(q, name);
  int64_t n;
  if (!text) return true;
  if (!param_int(q, &(param){.name = name}, (given){.text = text}, &n)) return false;
  if (n < 0) return param_refuse(q, &(param){.name = name}, "a number of 0 or more");
  orr_builder_put(b, key, orr_int(n));
  return true;
}

static bool param_is_flag(param_kind kind) {
  return kind == PARAM_FLAG || kind == PARAM_NOT || kind == PARAM_NONE || kind == PARAM_SOME ||
         kind == PARAM_BESIDE || kind == PARAM_WORD || kind == PARAM_UNBUILT ||
         kind == PARAM_PERMITTED;
}

/* An empty text where no text is wanted, an empty list, a flag that is off ask for nothing. */
static bool given_asks(const param *p, given g) {
  bool of_texts = p->kind == PARAM_TEXT || p->kind == PARAM_LIKE || p->kind == PARAM_ID ||
                  p->kind == PARAM_VALUE || p->kind == PARAM_ROW || p->kind == PARAM_LOWER ||
                  p->kind == PARAM_TASK || p->kind == PARAM_UNBUILT || p->kind == PARAM_CASED ||
                  p->kind == PARAM_LOG;
  bool timed = p->kind == PARAM_TIME || p->kind == PARAM_BEFORE_OR_NONE, on = true;
  if (g.text && timed) return *g.text;
  if (g.text) return !param_is_flag(p->kind) || !scalar_bool_of_text(g.text, &on) || on;
  if (!g.json || json_is_null(g.json) || (json_is_array(g.json) && json_array_size(g.json) == 0))
    return false;
  if (!of_texts && json_is_string(g.json) && json_string_length(g.json) == 0) return false;
  json_t *is = param_is_flag(p->kind) ? scalar_as(g.json, SCALAR_BOOL) : NULL;
  bool off = json_is_false(is);
  json_decref(is);
  return !off;
}

/* What a query was given for a parameter; neither text nor JSON: nothing that asks for anything. */
static given query_given(request *q, const param *p, const json_t *body) {
  given g = {body ? NULL : request_argument(q, p->name), json_object_get(body, p->name), body};
  return given_asks(p, g) ? g : (given){.of = body};
}

static bool query_beside(request *q, const listing *is, const json_t *body, orr_builder *b) {
  for (size_t i = 0; i < is->n_params; i++) {
    given g = query_given(q, &is->params[i], body);
    if (is->params[i].kind == PARAM_BESIDE && (g.text || g.json) && !param_flag(q, &is->params[i], g, b)) return false;
  }
  return true;
}

/* { any = { { before }, { not set } } } */
static bool query_before_or_none(request *q, const param *p, given g, orr_builder *b) {
  char *before = request_printf(q, "%s_before", p->key);
  if (!before) return false;
  orr_builder_map(b);
  orr_builder_key(b, "any", strlen("any"));
  orr_builder_array(b);
  orr_builder_map(b);
  if (!param_time(q, &(param){.name = p->name, .key = before}, g, b)) return false;
  orr_builder_end(b);
  orr_builder_map(b);
  orr_builder_put(b, p->key, orr_null());
  orr_builder_end(b);
  orr_builder_end(b);
  orr_builder_end(b);
  return true;
}

/* Does a query within ask for something by this parameter? */
static bool within_asks(const param *p, given g) {
  return given_asks(p, g) && p->kind != PARAM_BESIDE && p->kind != PARAM_SWITCH;
}

/* Each condition on a variable is one of its own. */
static bool query_or_variables(request *q, const listing *is, const param *p, given g,
                               orr_builder *b) {
  conditions all;
  if (!conditions_read(q, p->name, g.json, NULL, &all)) return false;
  for (size_t i = 0; i < all.n; i++) {
    orr_builder_map(b);
    orr_builder_key(b, p->key, strlen(p->key));
    conditions_write_one(&all.all[i], b);
    if (!query_beside(q, is, g.of, b)) return false;
    orr_builder_end(b);
  }
  return true;
}

static bool query_or_param(request *q, const listing *is, const param *p, given g, orr_builder *b) {
  if (p->kind == PARAM_ANY) {
    request_refuse(q, "orQueries within orQueries");
    return false;
  }
  if (p->kind == PARAM_BEFORE_OR_NONE) return query_before_or_none(q, p, g, b);
  if (p->kind == PARAM_VARIABLES) return query_or_variables(q, is, p, g, b);
  orr_builder_map(b);
  if (!param_read(q, p, g, b) || !query_beside(q, is, g.of, b)) return false;
  orr_builder_end(b);
  return true;
}

/* A query within: one of its conditions must hold. Without any it asks for nothing. */
static bool query_or(request *q, const listing *is, const json_t *within, orr_builder *b) {
  bool asks = false;
  if (!json_is_object(within)) {
    request_refuse(q, "orQueries: objects expected");
    return false;
  }
  for (size_t i = 0; i < is->n_params; i++) {
    const param *p = &is->params[i];
    given g = {NULL, json_object_get(within, p->name), within};
    if (!within_asks(p, g)) continue;
    if (!people_may_ask(q, p)) return false;
    if (!asks) {
      orr_builder_map(b);
      orr_builder_key(b, "any", strlen("any"));
      orr_builder_array(b);
    }
    asks = true;
    if (!query_or_param(q, is, p, g, b)) return false;
  }
  if (!asks) return true;
  orr_builder_end(b);
  orr_builder_end(b);
  return true;
}

/* Of no filter one must hold: that fits nothing. */
static bool query_permitted(request *q, const param *p, given g, orr_builder *b) {
  bool on;
  if (!param_bool(q, p, g, &on)) return false;
  if (!on || request_may(q, ROLE_OPERATE) || q->limited) return true;
  orr_builder_map(b);
  orr_builder_key(b, "any", strlen("any"));
  orr_builder_array(b);
  orr_builder_end(b);
  orr_builder_end(b);
  return true;
}

/* The conditions that ask the same of a variable as one before them. */
static bool query_again(request *q, const param *p, given g, orr_builder *b) {
  conditions all;
  if (!conditions_read(q, p->name, g.json, g.text, &all)) return false;
  size_t rounds = conditions_rounds(&all);
  for (size_t round = 1; round < rounds; round++) {
    orr_builder_map(b);
    orr_builder_key(b, p->key, strlen(p->key));
    conditions_write(&all, round, b);
    orr_builder_end(b);
  }
  return true;
}

/* Each condition is on the name and the value of the record itself, so that two of different names
 * fit nothing. */
static bool query_own(request *q, const param *p, given g, orr_builder *b) {
  conditions all;
  bool names = g.of ? scalar_is_true(json_object_get(g.of, "variableNamesIgnoreCase"))
                    : request_flag(q, "variableNamesIgnoreCase");
  if (!conditions_read(q, p->name, g.json, g.text, &all)) return false;
  for (size_t i = 0; i < all.n; i++) {
    const char *key = names ? "name_ieq" : "name";
    orr_value name = orr_bytes(all.all[i].name, all.all[i].name_size);
    orr_builder_map(b);
    orr_builder_put(b, key, name);
    if (!conditions_write_own(q, &all.all[i], p->key, param_flagged(q, p, g), b)) return false;
    orr_builder_end(b);
  }
  return true;
}

/* What is no single key of a filter goes into `all`. */
static bool query_all(request *q, const listing *is, const json_t *body, orr_builder *b) {
  orr_builder_key(b, "all", strlen("all"));
  orr_builder_array(b);
  people_narrow(q, b);
  for (size_t i = 0; i < is->n_params; i++) {
    const param *p = &is->params[i];
    given g = query_given(q, p, body);
    bool asks = g.text || g.json;
    if (asks && p->kind == PARAM_BEFORE_OR_NONE && !query_before_or_none(q, p, g, b)) return false;
    if (asks && p->kind == PARAM_PERMITTED && !query_permitted(q, p, g, b)) return false;
    if (asks && p->kind == PARAM_VARIABLES && !query_again(q, p, g, b)) return false;
    if (asks && p->kind == PARAM_OWN && !query_own(q, p, g, b)) return false;
    if (asks && p->kind == PARAM_ANY && !json_is_array(g.json))
      return param_refuse(q, p, "an array of objects");
    for (size_t k = 0; p->kind == PARAM_ANY && k < json_array_size(g.json); k++)
      if (!query_or(q, is, json_array_get(g.json, k), b)) return false;
  }
  orr_builder_end(b);
  return true;
}

static bool more_is_key(const listing_more *more) { return strncmp(more->field, "with_", 5) == 0; }

/* What rows need is read for the page at once, instead of being asked for by each of them. */
static void more_read(request *q, const listing *is, orr_builder *b) {
  size_t fields = 0;
  for (size_t i = 0; i < is->n_more; i++) {
    const listing_more *more = &is->more[i];
    orr_value name = orr_string(more->field);
    if (more_is_key(more) || (more->asked && !rest_asked(q, more->asked))) continue;
    if (fields++ == 0) {
      orr_builder_key(b, "with_fields", strlen("with_fields"));
      orr_builder_array(b);
    }
    orr_builder_add(b, &name);
  }
  if (fields > 0) orr_builder_end(b);
  for (size_t i = 0; i < is->n_more; i++)
    if (more_is_key(&is->more[i]) && rest_asked(q, is->more[i].asked))
      orr_builder_put(b, is->more[i].field, orr_bool(true));
}

bool query_filter(request *q, const listing *is, const json_t *body, bool paged, orr_value *out) {
  orr_builder *b = request_builder(q);
  if (!b || !order_sound(q, body)) return false;
  orr_builder_map(b);
  for (size_t i = 0; i < is->n_params; i++) {
    given g = query_given(q, &is->params[i], body);
    if (!g.text && !g.json) continue;
    if (!people_may_ask(q, &is->params[i]) || !param_read(q, &is->params[i], g, b)) return false;
  }
  if (!clash_none(q, is->name, body)) return false;
  if (is->unset) orr_builder_put(b, is->unset, orr_null());
  if (is->on) orr_builder_put(b, is->on, orr_bool(true));
  if (!query_all(q, is, body, b)) return false;
  if (paged &&
      !(order_read(q, is, body, b) && page_read(q, "firstResult", "offset", b) && page_read(q, "maxResults", "limit", b)))
    return false;
  if (paged) more_read(q, is, b);
  orr_builder_end(b);
  return rest_value(q, b, out);
}

/* ---- Listing, counting, finding --------------------------------------------------------------- */

int rest_list(request *q) {
  orr_value filter;
  if (!query_filter(q, q->operation->query, q->json, true, &filter)) return q->status;
  orr_records *found = records_list(q, q->operation->query->verb, &filter);
  if (!found) return q->status;
  out_open(&q->out, '[');
  for (size_t i = 0; i < orr_records_count(found); i++) dto_write(q, q->operation->query->dto, found, i);
  out_close(&q->out, ']');
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

int rest_count(request *q) {
  orr_value filter;
  int64_t count;
  orr_error err = {0};
  if (!query_filter(q, q->operation->query, q->json, false, &filter)) return q->status;
  if (orr_engine_count(rest_engine(q), q->operation->query->verb, &filter, &count, &err)) return request_fail_engine(q, &err);
  out_open(&q->out, '{');
  out_put_int(&q->out, "count", count);
  out_close(&q->out, '}');
  return request_done(q);
}

int rest_answer_one(request *q, const dto *shape, orr_records *found) {
  if (!found) return q->status ? q->status : rest_missing(q);
  dto_write(q, shape, found, 0);
  orr_records_free(found);
  return q->status ? q->status : request_done(q);
}

int rest_find_one(request *q, const char *verb, const dto *shape, orr_id id) {
  return rest_answer_one(q, shape, records_one(q, verb, id));
}

int rest_find(request *q) {
  return rest_find_one(q, q->operation->query->verb, q->operation->query->dto, request_id(q));
}
