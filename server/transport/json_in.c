/* Bodies in JSON. */
#include "server/transport/json_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/limits.h"
#include "server/transport/scalars.h"

/* ---- Reading --------------------------------------------------------------------------------- */

/* The tree as far as it is read. Each value is put into its place at once: so the root owns it. */
typedef struct body_tree {
  json_t *root;
  json_t *open[ORR_VALUE_DEPTH_MAX]; /* what is around, outermost first */
  int depth;
  char *key; /* of the member that comes next */
  size_t key_size, key_room;
  bool failed; /* memory is out */
} body_tree;

static void tree_add(body_tree *t, json_t *value) {
  json_t *around = t->depth ? t->open[t->depth - 1] : NULL;
  int rc = value ? 0 : -1;
  if (!around) t->root = value;
  else if (json_is_array(around)) rc = json_array_append_new(around, value);
  else rc = json_object_setn_new_nocheck(around, t->key, t->key_size, value);
  t->failed = t->failed || rc;
}

/* Where memory is out there is nothing to put the rest into. */
static void tree_open(void *to, bool map) {
  body_tree *t = to;
  json_t *made = t->failed ? NULL : map ? json_object() : json_array();
  if (!t->failed) tree_add(t, made);
  t->open[t->depth++] = t->failed ? NULL : made;
}

static void tree_close(void *to, bool map) {
  (void)map;
  ((body_tree *)to)->depth--;
}

static void tree_key(void *to, const char *text, size_t size) {
  body_tree *t = to;
  if (size > t->key_room || !t->key) {
    char *grown = realloc(t->key, size + 32);
    if (!grown) {
      t->failed = true;
      return;
    }
    t->key = grown;
    t->key_room = size + 32;
  }
  memcpy(t->key, text, size);
  t->key_size = size;
}

static json_t *tree_scalar_of(const orr_value *value) {
  switch ((orr_type)value->type) {
    case ORR_BOOL: return json_boolean(value->as.boolean);
    case ORR_INT: return json_integer(value->as.integer);
    case ORR_FLOAT: return json_real(value->as.number);
    case ORR_STRING: return json_stringn_nocheck(value->as.bytes, value->size);
    default: return json_null();
  }
}

static void tree_scalar(void *to, const orr_value *value) {
  body_tree *t = to;
  if (!t->failed) tree_add(t, tree_scalar_of(value));
}

/* A text of a zero byte and the digits. */
static void tree_wide(void *to, const char *digits, size_t size) {
  body_tree *t = to;
  char *marked = t->failed ? NULL : malloc(size + 1);
  t->failed = t->failed || !marked;
  if (!marked) return;
  marked[0] = '\0';
  memcpy(marked + 1, digits, size);
  tree_add(t, json_stringn_nocheck(marked, size + 1));
  free(marked);
}

static void say_problem(const char *text, const json_problem *problem, char *out, size_t room) {
  int line = 1, column = 1;
  if (!problem->expected) {
    snprintf(out, room, "the JSON is nested deeper than %d levels", ORR_VALUE_DEPTH_MAX);
    return;
  }
  for (size_t i = 0; i < problem->at; i++) {
    column = text[i] == '\n' ? 1 : column + ((text[i] & 0xC0) != 0x80);
    line += text[i] == '\n';
  }
  snprintf(out, room, "the body is not JSON: %s expected at line %d, column %d", problem->expected,
           line, column);
}

json_t *body_parse(const char *text, size_t size, char *problem, size_t problem_size) {
  static const json_visitor visitor = {tree_open, tree_close, tree_key, tree_scalar, tree_wide};
  body_tree t = {0};
  json_problem why = {0};
  char *scratch = malloc(size + 1);
  int rc = scratch ? json_visit(text, size, scratch, &visitor, &t, &why) : 0;
  if (rc) say_problem(text, &why, problem, problem_size);
  else *problem = '\0';
  free(scratch);
  free(t.key);
  if (scratch && !rc && !t.failed) return t.root;
  json_decref(t.root);
  return NULL;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static bool body_object_to_value(const json_t *json, orr_builder *out) {
  orr_builder_map(out);
  void *at = json_object_iter((json_t *)json);
  for (; at; at = json_object_iter_next((json_t *)json, at)) {
    const char *key = json_object_iter_key(at);
    orr_builder_key(out, key, strlen(key));
    if (!body_to_value(json_object_iter_value(at), out)) return false;
  }
  orr_builder_end(out);
  return true;
}

static bool body_array_to_value(const json_t *json, orr_builder *out) {
  orr_builder_array(out);
  for (size_t i = 0; i < json_array_size(json); i++)
    if (!body_to_value(json_array_get(json, i), out)) return false;
  orr_builder_end(out);
  return true;
}

bool body_to_value(const json_t *json, orr_builder *out) {
  orr_value value = orr_null();
  if (json_is_object(json)) return body_object_to_value(json, out);
  if (json_is_array(json)) return body_array_to_value(json, out);
  if (json_is_boolean(json)) value = orr_bool(json_is_true(json));
  else if (json_is_integer(json)) value = orr_int(json_integer_value(json));
  else if (json_is_real(json)) value = orr_float(json_real_value(json));
  else if (scalar_wide(json)) value = orr_float(strtod(scalar_wide(json), NULL));
  else if (json_is_string(json)) value = orr_bytes(json_string_value(json), json_string_length(json));
  orr_builder_add(out, &value);
  return true;
}
