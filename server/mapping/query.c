/* Camunda's query parameters as filters of the engine's lists, and the three operations that are nothing else. */
#include "server/mapping/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rest_table.h"
#include "server/mapping/dto.h"
#include "server/mapping/operation.h"
#include "server/mapping/tasks.h"
#include "server/mapping/records.h"
#include "server/transport/json_in.h"

enum { CONDITIONS_MAX = 64 };

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

/* ---- Conditions on variables ------------------------------------------------------------------ */

/* One of name_operator_value, or of { name, operator, value }; texts point into the request. */
typedef struct condition {
  const char *name, *op;
  size_t name_size;
  const json_t *value;
  const char *text;
} condition;

static const char *condition_operator(const char *theirs, size_t size) {
  static const char *const words[][2] = {{"eq", "eq"},   {"neq", "ne"},  {"gt", "gt"},     {"gteq", "ge"},
                                         {"lt", "lt"},   {"lteq", "le"}, {"like", "like"}, {"notLike", "not_like"},
                                             {"after", "gt"}, {"before", "lt"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i][0]) == size && memcmp(words[i][0], theirs, size) == 0) return words[i][1];
  return NULL;
}

static bool condition_refuse(request *q, const char *of) {
  request_refuse(q, "%s: a name, one of the operators eq, neq, gt, gteq, lt, lteq, like, notLike, and a value expected",
                 of);
  return false;
}

/* Names may hold underscores: the first operator that fits between two of them divides, as in Camunda. */
static bool condition_split(char *text, condition *out) {
  for (char *at = strchr(text, '_'); at; at = strchr(at + 1, '_')) {
    char *end = strchr(at + 1, '_');
    const char *op = end ? condition_operator(at + 1, (size_t)(end - at - 1)) : NULL;
    if (!op || at == text) continue;
    *out = (condition){.name = text, .name_size = (size_t)(at - text), .op = op, .text = end + 1};
    return true;
  }
  return false;
}

static bool condition_of_json(const json_t *item, condition *out) {
  const char *name = json_string_value(json_object_get(item, "name")),
             *op = json_string_value(json_object_get(item, "operator"));
  const json_t *value = json_object_get(item, "value");
  if (!name || !op || json_is_object(value) || json_is_array(value)) return false;
  *out = (condition){.name = name, .name_size = strlen(name), .op = condition_operator(op, strlen(op)), .value = value};
  return out->op;
}

static void condition_put(orr_builder *b, const condition *c) {
  bool equal = strcmp(c->op, "eq") == 0;
  const char *key = equal ? "in" : c->op;
  orr_builder_key(b, key, strlen(key));
  if (equal) orr_builder_array(b);
  if (c->text) {
    orr_value text = orr_string(c->text);
    orr_builder_add(b, &text);
  } else if (c->value) {
    body_to_value(c->value, b);
  } else {
    orr_value none = orr_null();
    orr_builder_add(b, &none);
  }
  if (equal) orr_builder_end(b);
}

static bool conditions_same(const condition *a, const condition *b) {
  return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

/* Conditions on one variable go into one map; two of the same operator would lose one. */
static bool conditions_write(request *q, const char *of, const condition *all, size_t n, orr_builder *b) {
  bool done[CONDITIONS_MAX] = {false};
  orr_builder_map(b);
  for (size_t i = 0; i < n; i++) {
    if (done[i]) continue;
    orr_builder_key(b, all[i].name, all[i].name_size);
    orr_builder_map(b);
    for (size_t k = i; k < n; k++) {
      if (!conditions_same(&all[i], &all[k])) continue;
      for (size_t m = i; m < k; m++)
        if (conditions_same(&all[m], &all[k]) && strcmp(all[m].op, all[k].op) == 0) {
          request_refuse(q, "%s: a variable has at most one condition of an operator", of);
          return false;
        }
      done[k] = true;
      condition_put(b, &all[k]);
    }
    orr_builder_end(b);
  }
  orr_builder_end(b);
  return true;
}

static bool conditions_add(request *q, const char *of, condition *all, size_t *n, bool sound) {
  if (!sound) return condition_refuse(q, of);
  if (++*n < CONDITIONS_MAX) return true;
  request_refuse(q, "%s: at most %d conditions", of, CONDITIONS_MAX - 1);
  (void)all;
  return false;
}

/* Reads operators and values of variables out of JSON into `b`, as the filter key `variables` takes them. */
static bool query_variables(request *q, const char *of, const json_t *list, const char *text, orr_builder *b) {
  condition all[CONDITIONS_MAX];
  size_t n = 0;
  char *copy = text ? request_copy(q, text) : NULL;
  if (text && !copy) return false;
  if (!text && !json_is_array(list)) return condition_refuse(q, of);
  for (char *save = NULL, *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save))
    if (!conditions_add(q, of, all, &n, condition_split(at, &all[n]))) return false;
  for (size_t i = 0; !text && i < json_array_size(list); i++)
    if (!conditions_add(q, of, all, &n, condition_of_json(json_array_get(list, i), &all[n]))) return false;
  return conditions_write(q, of, all, n, b);
}

/* ---- One parameter ---------------------------------------------------------------------------- */

/* What was given for a parameter: a text of the query string, or JSON. */
typedef struct given {
  const char *text;
  const json_t *json;
} given;

static bool param_refuse(request *q, const param *p, const char *wanted) {
  request_refuse(q, "Cannot set query parameter '%s': %s expected", p->name, wanted);
  return false;
}

static bool param_bool(request *q, const param *p, given g, bool *out) {
  *out = g.text ? strcmp(g.text, "true") == 0 : json_is_true(g.json);
  if (*out || (g.text ? strcmp(g.text, "false") == 0 : json_is_false(g.json))) return true;
  return param_refuse(q, p, "true or false");
}

static bool param_int(request *q, const param *p, given g, int64_t *out) {
  char *end = NULL;
  errno = 0;
  *out = g.text ? strtoll(g.text, &end, 10) : json_integer_value(g.json);
  if (g.text ? *g.text && !*end && !errno : json_is_integer(g.json)) return true;
  return param_refuse(q, p, "an integer");
}

/* NULL: it is no text. One with a zero byte fits no name. */
static const char *param_text(request *q, const param *p, given g) {
  const char *text = g.text ? g.text : json_string_value(g.json);
  if (text && (g.text || strlen(text) == json_string_length(g.json))) return text;
  param_refuse(q, p, "a text");
  return NULL;
}

static bool param_time(request *q, const param *p, given g, orr_builder *b) {
  const char *text = param_text(q, p, g);
  orr_time time;
  if (!text) return false;
  if (orr_time_parse(text, &time, NULL)) return param_refuse(q, p, "a date such as 2026-01-31T12:00:00.000+0000");
  orr_builder_put(b, p->key, orr_float((double)time / 1000));
  return true;
}

static bool param_list_add(request *q, const param *p, const char *text, orr_builder *b) {
  const char *id = p->kind == PARAM_TASKS ? task_id_text(q, text) : text;
  orr_value item = orr_string(id);
  if (id) orr_builder_add(b, &item);
  return id;
}

static bool param_list(request *q, const param *p, given g, orr_builder *b) {
  char *copy = g.text ? request_copy(q, g.text) : NULL;
  if (g.text ? !copy : !json_is_array(g.json)) return q->status ? false : param_refuse(q, p, "an array of texts");
  orr_builder_key(b, p->key, strlen(p->key));
  orr_builder_array(b);
  for (char *save = NULL, *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save)) {
    if (!param_list_add(q, p, at, b)) return false;
  }
  for (size_t i = 0; !copy && i < json_array_size(g.json); i++) {
    const char *text = param_text(q, p, (given){NULL, json_array_get(g.json, i)});
    if (!text || !param_list_add(q, p, text, b)) return false;
  }
  const char *none = p->word ? request_argument(q, p->word) : NULL; /* those of none, too */
  orr_value null = orr_null();
  if ((none && strcmp(none, "true") == 0) || (p->word && json_is_true(json_object_get(q->json, p->word))))
    orr_builder_add(b, &null);
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
    if (!param_time(q, &(param){.name = p->name, .key = key}, (given){all[i].text, NULL}, b)) return false;
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

static bool param_value(request *q, const param *p, given g, orr_builder *b) {
  if (json_is_object(g.json) || json_is_array(g.json)) return param_refuse(q, p, "a plain value");
  orr_builder_key(b, p->key, strlen(p->key));
  orr_value text = orr_string(g.text);
  if (g.text) orr_builder_add(b, &text);
  return g.text || body_to_value(g.json, b);
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

static bool param_rows(request *q, const param *p, given g, orr_builder *b) {
  char *copy = g.text ? request_copy(q, g.text) : NULL;
  if (!copy) return q->status ? false : param_refuse(q, p, "ids with commas between them");
  orr_builder_key(b, p->key, strlen(p->key));
  orr_builder_array(b);
  for (char *save = NULL, *at = strtok_r(copy, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
    orr_value number = row_number(at);
    orr_builder_add(b, &number);
  }
  orr_builder_end(b);
  return true;
}

static bool param_read(request *q, const param *p, given g, orr_builder *b) {
  int64_t n;
  switch (p->kind) {
    case PARAM_TEXT: case PARAM_LIKE: case PARAM_ID: case PARAM_LOWER: return param_words(q, p, g, b);
    case PARAM_TASK: return param_task(q, p, g, b);
    case PARAM_TEXTS: case PARAM_IDS: case PARAM_TASKS: return param_list(q, p, g, b);
    case PARAM_ROW: return param_row(q, p, g, b);
    case PARAM_ROWS: return param_rows(q, p, g, b);
    case PARAM_TIME: return param_time(q, p, g, b);
    case PARAM_TIMES: return param_times(q, p, g, b);
    case PARAM_FLAG: case PARAM_NOT: case PARAM_BOOL: case PARAM_NONE: case PARAM_SOME: case PARAM_BESIDE: case PARAM_WORD:
      return param_flag(q, p, g, b);
    case PARAM_VALUE: return param_value(q, p, g, b);
    case PARAM_SWITCH: case PARAM_ANY: case PARAM_BEFORE_OR_NONE: return true; /* query_all sees to them */
    case PARAM_INT:
      if (!param_int(q, p, g, &n)) return false;
      orr_builder_put(b, p->key, orr_int(n));
      return true;
    case PARAM_VARIABLES:
      orr_builder_key(b, p->key, strlen(p->key));
      return query_variables(q, p->name, g.json, g.text, b);
    case PARAM_UNBUILT: break;
  }
  request_refuse(q, "The query parameter '%s' is not built: %s", p->name, p->key);
  return false;
}

/* ---- Order and pages -------------------------------------------------------------------------- */

static bool sort_add(request *q, const listing *is, const char *by, const char *order, orr_builder *b) {
  size_t i = 0;
  while (by && i < is->n_sorts && strcmp(is->sorts[i].name, by) != 0) i++;
  if (!by || !order) {
    request_refuse(q, "Only a single sorting parameter specified. sortBy and sortOrder required");
  } else if (i == is->n_sorts) {
    request_refuse(q, "Cannot set query sortBy parameter to value %s", by);
  } else if (!is->sorts[i].field) {
    request_refuse(q, "Sorting by %s is not built", by);
  } else if (strcmp(order, "asc") != 0 && strcmp(order, "desc") != 0) {
    request_refuse(q, "Cannot set query sortOrder parameter to value %s", order);
  } else {
    orr_value field = orr_string(is->sorts[i].field), direction = orr_string(order);
    orr_builder_array(b);
    orr_builder_add(b, &field);
    orr_builder_add(b, &direction);
    orr_builder_end(b);
  }
  return !q->status;
}

static bool sort_read(request *q, const listing *is, const json_t *body, orr_builder *b) {
  const char *by = request_argument(q, "sortBy"), *order = request_argument(q, "sortOrder");
  const json_t *sorting = json_object_get(body, "sorting");
  if (!by && !order && json_array_size(sorting) == 0) return true;
  orr_builder_key(b, "order_by", strlen("order_by"));
  orr_builder_array(b);
  if ((by || order) && !sort_add(q, is, by, order, b)) return false;
  for (size_t i = 0; i < json_array_size(sorting); i++) {
    const json_t *item = json_array_get(sorting, i);
    const char *key = json_string_value(json_object_get(item, "sortBy"));
    if (!sort_add(q, is, key, json_string_value(json_object_get(item, "sortOrder")), b)) return false;
  }
  orr_builder_end(b);
  return true;
}

static bool page_read(request *q, const char *name, const char *key, orr_builder *b) {
  const char *text = request_argument(q, name);
  int64_t n;
  if (!text) return true;
  if (!param_int(q, &(param){.name = name}, (given){text, NULL}, &n)) return false;
  if (n < 0) return param_refuse(q, &(param){.name = name}, "a number of 0 or more");
  orr_builder_put(b, key, orr_int(n));
  return true;
}

/* What a query was given for a parameter; neither text nor JSON: nothing. */
static given query_given(request *q, const param *p, const json_t *body) {
  given g = {body ? NULL : request_argument(q, p->name), json_object_get(body, p->name)};
  if (json_is_null(g.json)) g.json = NULL;
  return g;
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

/* A query within: one of its conditions must hold. */
static bool query_or(request *q, const listing *is, const json_t *within, orr_builder *b) {
  if (!json_is_object(within)) {
    request_refuse(q, "orQueries: objects expected");
    return false;
  }
  orr_builder_map(b);
  orr_builder_key(b, "any", strlen("any"));
  orr_builder_array(b);
  for (size_t i = 0; i < is->n_params; i++) {
    const param *p = &is->params[i];
    given g = {NULL, json_object_get(within, p->name)};
    if (!g.json || json_is_null(g.json) || json_is_false(g.json) || p->kind == PARAM_BESIDE ||
        p->kind == PARAM_SWITCH) continue;
    if (p->kind == PARAM_ANY) {
      request_refuse(q, "orQueries within orQueries");
      return false;
    }
    if (p->kind == PARAM_BEFORE_OR_NONE) {
      if (!query_before_or_none(q, p, g, b)) return false;
      continue;
    }
    orr_builder_map(b);
    if (!param_read(q, p, g, b) || !query_beside(q, is, within, b)) return false;
    orr_builder_end(b);
  }
  orr_builder_end(b);
  orr_builder_end(b);
  return true;
}

/* What is no single key of a filter goes into `all`. */
static bool query_all(request *q, const listing *is, const json_t *body, orr_builder *b) {
  orr_builder_key(b, "all", strlen("all"));
  orr_builder_array(b);
  for (size_t i = 0; i < is->n_params; i++) {
    const param *p = &is->params[i];
    given g = query_given(q, p, body);
    if (p->kind == PARAM_BEFORE_OR_NONE && (g.text || g.json) && !query_before_or_none(q, p, g, b)) return false;
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
  if (!b) return false;
  orr_builder_map(b);
  for (size_t i = 0; i < is->n_params; i++) {
    given g = query_given(q, &is->params[i], body);
    if ((g.text || g.json) && !param_read(q, &is->params[i], g, b)) return false;
  }
  if (is->unset) orr_builder_put(b, is->unset, orr_null());
  if (is->on) orr_builder_put(b, is->on, orr_bool(true));
  if (!query_all(q, is, body, b)) return false;
  if (paged &&
      !(sort_read(q, is, body, b) && page_read(q, "firstResult", "offset", b) && page_read(q, "maxResults", "limit", b)))
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
