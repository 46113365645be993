/* Conditions on variables. */
#include "server/mapping/conditions.h"

#include <string.h>

#include "server/transport/json_in.h"

/* ---- Reading --------------------------------------------------------------------------------- */

static const char *condition_operator(const char *theirs, size_t size) {
  static const char *const words[][2] = {
      {"eq", "eq"},    {"neq", "ne"},    {"gt", "gt"},     {"gteq", "ge"},
      {"lt", "lt"},    {"lteq", "le"},   {"like", "like"}, {"notLike", "not_like"},
      {"after", "gt"}, {"before", "lt"},
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strlen(words[i][0]) == size && memcmp(words[i][0], theirs, size) == 0) return words[i][1];
  return NULL;
}

/* Names may hold underscores: the first operator that fits between two of them divides, as in
 * Camunda. */
static bool condition_split(const char *text, condition *out) {
  for (const char *at = strchr(text, '_'); at; at = strchr(at + 1, '_')) {
    const char *end = strchr(at + 1, '_');
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
  *out = (condition){.name = name,
                     .name_size = strlen(name),
                     .op = condition_operator(op, strlen(op)),
                     .value = value ? value : json_null()};
  return out->op;
}

static bool conditions_refuse(request *q, const char *of) {
  request_refuse(q,
                 "%s: a name, one of the operators eq, neq, gt, gteq, lt, lteq, like, notLike, and "
                 "a value expected",
                 of);
  return false;
}

static bool conditions_add(request *q, const char *of, conditions *out, bool sound) {
  if (!sound) return conditions_refuse(q, of);
  if (++out->n < CONDITIONS_MAX) return true;
  request_refuse(q, "%s: at most %d conditions", of, CONDITIONS_MAX - 1);
  return false;
}

bool conditions_read(request *q, const char *of, const json_t *list, const char *text,
                     conditions *out) {
  char *copy = text ? request_copy(q, text) : NULL, *save = NULL;
  out->n = 0;
  if (text && !copy) return false;
  if (!text && !json_is_array(list)) return conditions_refuse(q, of);
  for (char *at = copy ? strtok_r(copy, ",", &save) : NULL; at; at = strtok_r(NULL, ",", &save))
    if (!conditions_add(q, of, out, condition_split(at, &out->all[out->n]))) return false;
  for (size_t i = 0; !text && i < json_array_size(list); i++)
    if (!conditions_add(q, of, out, condition_of_json(json_array_get(list, i), &out->all[out->n])))
      return false;
  return true;
}

/* ---- Writing --------------------------------------------------------------------------------- */

bool condition_is_date(const char *text, orr_value *out) {
  static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddd";
  orr_time time;
  size_t i = 0;
  for (; shape[i] && text[i]; i++)
    if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
  bool zoned = !shape[i] && (text[i] == '+' || text[i] == '-' || text[i] == 'Z');
  if (!zoned || orr_time_parse(text, &time, NULL)) return false;
  *out = orr_seconds(time);
  return true;
}

static void condition_value(const condition *c, orr_builder *b) {
  orr_value text = orr_string(c->text);
  if (c->value) body_to_value(c->value, b);
  else orr_builder_add(b, &text);
}

static const char *condition_caseless(const char *op) {
  static const char *const words[][2] = {
      {"eq", "ieq"}, {"ne", "ine"}, {"like", "ilike"}, {"not_like", "not_ilike"}};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i][0], op) == 0) return words[i][1];
  return op;
}

/* What equals a date may be the date or the text; an order is of dates. */
typedef struct condition_key {
  const char *op;
  bool dated, list;
  orr_value date;
} condition_key;

static condition_key condition_key_of(const condition *c, bool caseless) {
  const char *text = c->value ? json_string_value(c->value) : c->text;
  bool equal = strcmp(c->op, "eq") == 0, differs = strcmp(c->op, "ne") == 0;
  condition_key k = {.op = c->op};
  k.dated = text && !strstr(c->op, "like") && condition_is_date(text, &k.date);
  k.list = (equal && !caseless) || ((equal || differs) && k.dated);
  if (k.list) k.op = equal ? "in" : "not_in";
  else if (text && caseless) k.op = condition_caseless(c->op);
  return k;
}

static void condition_put_values(orr_builder *b, const condition *c, const condition_key *k) {
  if (k->list) orr_builder_array(b);
  if (!k->dated || k->list) condition_value(c, b);
  if (k->dated) orr_builder_add(b, &k->date);
  if (k->list) orr_builder_end(b);
}

static void condition_put(orr_builder *b, const condition *c) {
  condition_key k = condition_key_of(c, false);
  orr_builder_key(b, k.op, strlen(k.op));
  condition_put_values(b, c, &k);
}

static bool conditions_same(const condition *a, const condition *b) {
  return a->name_size == b->name_size && memcmp(a->name, b->name, a->name_size) == 0;
}

/* How many before it ask the same of the same variable. */
static size_t condition_round(const conditions *all, size_t i) {
  size_t round = 0;
  for (size_t k = 0; k < i; k++)
    round +=
        conditions_same(&all->all[k], &all->all[i]) && strcmp(all->all[k].op, all->all[i].op) == 0;
  return round;
}

size_t conditions_rounds(const conditions *all) {
  size_t rounds = 1;
  for (size_t i = 0; i < all->n; i++) {
    size_t round = condition_round(all, i) + 1;
    if (round > rounds) rounds = round;
  }
  return rounds;
}

/* Those of one variable go into one map. */
void conditions_write(const conditions *all, size_t round, orr_builder *b) {
  bool done[CONDITIONS_MAX] = {false};
  orr_builder_map(b);
  for (size_t i = 0; i < all->n; i++) {
    if (done[i] || condition_round(all, i) != round) continue;
    orr_builder_key(b, all->all[i].name, all->all[i].name_size);
    orr_builder_map(b);
    for (size_t k = i; k < all->n; k++) {
      if (!conditions_same(&all->all[i], &all->all[k]) || condition_round(all, k) != round)
        continue;
      done[k] = true;
      condition_put(b, &all->all[k]);
    }
    orr_builder_end(b);
  }
  orr_builder_end(b);
}

void conditions_write_one(const condition *one, orr_builder *b) {
  orr_builder_map(b);
  orr_builder_key(b, one->name, one->name_size);
  orr_builder_map(b);
  condition_put(b, one);
  orr_builder_end(b);
  orr_builder_end(b);
}

bool conditions_write_own(request *q, const condition *one, const char *field, bool caseless,
                          orr_builder *b) {
  condition_key k = condition_key_of(one, caseless);
  const char *key = request_printf(q, "%s_%s", field, k.op);
  if (!key) return false;
  orr_builder_key(b, key, strlen(key));
  condition_put_values(b, one, &k);
  return true;
}
