/* Declared values: made from what callers declare, and described. Types and their details have
 * Camunda's names. */
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/builder.h"
#include "base/error.h"
#include "base/json.h"
#include "base/null.h"
#include "time/iso8601.h"

typedef struct typing {
  const char *name; /* as it is written */
  orr_declared declared;
  const orr_value *value, *info;
  orr_error *err;
} typing;

static const char *const type_names[] = {
    [ORR_UNDECLARED] = "Null",            [ORR_DECLARED_BOOLEAN] = "Boolean", [ORR_DECLARED_SHORT] = "Short",
    [ORR_DECLARED_INTEGER] = "Integer",   [ORR_DECLARED_LONG] = "Long",       [ORR_DECLARED_DOUBLE] = "Double",
    [ORR_DECLARED_STRING] = "String",     [ORR_DECLARED_DATE] = "Date",       [ORR_DECLARED_BYTES] = "Bytes",
    [ORR_DECLARED_FILE] = "File",         [ORR_DECLARED_XML] = "Xml",         [ORR_DECLARED_JSON] = "Json",
    [ORR_DECLARED_OBJECT] = "Object",
};
enum { TYPE_NAMES = sizeof type_names / sizeof *type_names };

/* ---- Making ---------------------------------------------------------------------------------- */

static int misfit(const typing *t, const char *wanted) {
  return error_set(t->err, ORR_E_ARGUMENT, "a value of type %s must be %s", t->name, wanted);
}

static bool number_whole(const orr_value *value, int64_t *out) {
  if (value->type == ORR_INT) *out = value->as.integer;
  else if (value->type != ORR_FLOAT || !(value->as.number >= -0x1p63 && value->as.number < 0x1p63)) return false;
  else *out = (int64_t)value->as.number;
  return value->type == ORR_INT || (double)*out == value->as.number;
}

static int typed_integer(const typing *t, int64_t least, int64_t most, const char *wanted, orr_value *out) {
  int64_t n;
  if (!number_whole(t->value, &n) || n < least || n > most) return misfit(t, wanted);
  *out = orr_int(n);
  return 0;
}

static int typed_double(const typing *t, orr_value *out) {
  if (t->value->type == ORR_INT) *out = orr_float((double)t->value->as.integer);
  else if (t->value->type == ORR_FLOAT) *out = *t->value;
  else return misfit(t, "a number");
  return 0;
}

/* Seconds since the epoch, as times are in variables: whole ones without a fraction. */
static int typed_date(const typing *t, orr_value *out) {
  static const char wanted[] = "a time: a number of seconds since the epoch, or an ISO 8601 text";
  const orr_value *v = t->value;
  orr_time ms;
  if (v->type == ORR_STRING) {
    orr_error problem = {0};
    int rc = iso_parse_time(v->as.bytes, v->size, NULL, &ms, &problem);
    orr_error_clear(&problem);
    if (rc) return misfit(t, wanted);
    *out = ms % 1000 == 0 ? orr_int(ms / 1000) : orr_float((double)ms / 1000);
    return 0;
  }
  double seconds = v->type == ORR_INT ? (double)v->as.integer : v->type == ORR_FLOAT ? v->as.number : (double)ISO_TIME_MAX;
  if (!(seconds >= (double)ISO_TIME_MIN / 1000 && seconds <= (double)ISO_TIME_MAX / 1000)) return misfit(t, wanted);
  *out = *v;
  return 0;
}

static int typed_string(const typing *t, orr_value *out) {
  if (t->value->type != ORR_STRING) return misfit(t, "a string");
  *out = *t->value;
  return 0;
}

/* A text is read once, to be sure that it is JSON, and kept as it is. */
static int typed_json(const typing *t, orr_value *out) {
  *out = *t->value;
  if (out->type == ORR_ARRAY || out->type == ORR_MAP) return 0;
  if (out->type != ORR_STRING) return misfit(t, "a text of JSON, an array or a map");
  orr_builder *b = orr_builder_new();
  orr_value read;
  int rc = b ? json_read(out->as.bytes, out->size, b, t->err) : error_memory(t->err);
  if (!rc) rc = orr_builder_value(b, &read, t->err);
  orr_builder_free(b);
  return rc;
}

static int typed_scalar(const typing *t, orr_value *out) {
  switch (t->declared) {
    case ORR_DECLARED_BOOLEAN:
      *out = *t->value;
      return out->type == ORR_BOOL ? 0 : misfit(t, "a boolean");
    case ORR_DECLARED_SHORT: return typed_integer(t, INT16_MIN, INT16_MAX, "a whole number of 16 bits", out);
    case ORR_DECLARED_INTEGER: return typed_integer(t, INT32_MIN, INT32_MAX, "a whole number of 32 bits", out);
    case ORR_DECLARED_LONG: return typed_integer(t, INT64_MIN, INT64_MAX, "a whole number of 64 bits", out);
    case ORR_DECLARED_DOUBLE: return typed_double(t, out);
    case ORR_DECLARED_DATE: return typed_date(t, out);
    case ORR_DECLARED_JSON: return typed_json(t, out);
    case ORR_UNDECLARED: return misfit(t, "null");
    default: return typed_string(t, out);
  }
}

/* A declaration that only repeats the type of its value is none. */
static bool says_itself(const orr_value *value, orr_declared declared) {
  if (value->type == ORR_NULL) return declared == ORR_UNDECLARED;
  return declared == ORR_DECLARED_BOOLEAN || declared == ORR_DECLARED_DOUBLE || declared == ORR_DECLARED_STRING ||
         (declared == ORR_DECLARED_JSON && value->type != ORR_STRING);
}

typedef struct fact {
  const char *name;
  orr_declared of;
} fact;
static const fact facts[] = {{"filename", ORR_DECLARED_FILE}, {"mimetype", ORR_DECLARED_FILE}, {"encoding", ORR_DECLARED_FILE},
                             {"objectTypeName", ORR_DECLARED_OBJECT}, {"serializationDataFormat", ORR_DECLARED_OBJECT}};
enum { FACTS = sizeof facts / sizeof *facts };

static bool is_given(const orr_value *value) { return value->type != ORR_NIL && value->type != ORR_NULL; }

/* A File and an Object are maps of the value and of its declared details. */
static int put_facts(const typing *t, orr_builder *b) {
  orr_builder_map(b);
  if (is_given(t->value)) orr_builder_put(b, "value", *t->value);
  for (size_t i = 0; i < FACTS; i++) {
    orr_value said = t->info ? orr_map_get(t->info, facts[i].name) : (orr_value){0};
    if (facts[i].of != t->declared || !is_given(&said)) continue;
    if (said.type != ORR_STRING) return error_set(t->err, ORR_E_ARGUMENT, "info.%s must be a string", facts[i].name);
    orr_builder_put(b, facts[i].name, said);
  }
  orr_builder_end(b);
  return 0;
}

static int add_described_map(const typing *t, bool transient, orr_builder *out) {
  orr_value none = {0}, made;
  if (is_given(t->value) && t->value->type != ORR_STRING) return misfit(t, "a string");
  if (t->declared == ORR_DECLARED_FILE && (!t->info || orr_map_get(t->info, "filename").type != ORR_STRING))
    return error_set(t->err, ORR_E_ARGUMENT, "a File needs info.filename");
  orr_builder *b = orr_builder_new();
  int rc = b ? put_facts(t, b) : error_memory(t->err);
  if (!rc) rc = orr_builder_value(b, &made, t->err);
  made = rc ? none : made;
  made.declared = (uint8_t)t->declared;
  made.transient = transient;
  if (!rc) orr_builder_add(out, &made);
  orr_builder_free(b);
  return rc;
}

/* "null" is a type without a declaration. False: there is no such type. */
static bool declared_named(const char *name, orr_declared *out) {
  for (int i = 0; i < TYPE_NAMES; i++) {
    if (strcasecmp(name, type_names[i]) != 0) continue;
    *out = (orr_declared)i;
    return true;
  }
  return false;
}

static int check_info(const typing *t, bool *transient) {
  *transient = false;
  if (!t->info || !is_given(t->info) || (t->info->type == ORR_ARRAY && orr_count(t->info) == 0)) return 0;
  if (t->info->type != ORR_MAP) return error_set(t->err, ORR_E_ARGUMENT, "info must be a map");
  orr_value flag = orr_map_get(t->info, "transient");
  if (is_given(&flag) && flag.type != ORR_BOOL) return error_set(t->err, ORR_E_ARGUMENT, "info.transient must be a boolean");
  *transient = flag.type == ORR_BOOL && flag.as.boolean;
  return 0;
}

int orr_builder_typed(orr_builder *builder, const char *type, const orr_value *value, const orr_value *info, orr_error *err) {
  REQUIRE(type);
  orr_value null = orr_null(), made = null;
  typing t = {.value = value && is_given(value) ? value : &null, .info = info, .err = err};
  bool transient;
  if (!declared_named(type, &t.declared)) {
    return error_set(err, ORR_E_ARGUMENT, "there is no type \"%.40s\"; the types are Null, Boolean, Short, Integer, Long, "
                     "Double, String, Date, Bytes, File, Xml, Json, Object", type);
  }
  t.name = type_names[t.declared];
  int rc = check_info(&t, &transient);
  if (rc) return rc;
  if (t.declared == ORR_DECLARED_FILE || t.declared == ORR_DECLARED_OBJECT) return add_described_map(&t, transient, builder);
  if (t.value->type != ORR_NULL) rc = typed_scalar(&t, &made);
  if (rc) return rc;
  made.declared = says_itself(&made, t.declared) ? 0 : (uint8_t)t.declared;
  made.transient = transient;
  orr_builder_add(builder, &made);
  return 0;
}

/* ---- Telling --------------------------------------------------------------------------------- */

const char *orr_value_type_name(const orr_value *value) {
  if (!value) return NULL;
  if (value->declared) return value->declared < TYPE_NAMES ? type_names[value->declared] : NULL;
  switch (value->type) {
    case ORR_NULL: return "Null";
    case ORR_BOOL: return "Boolean";
    case ORR_INT: return value->as.integer >= INT32_MIN && value->as.integer <= INT32_MAX ? "Integer" : "Long";
    case ORR_FLOAT: return "Double";
    case ORR_STRING: return "String";
    case ORR_ARRAY:
    case ORR_MAP: return "Json";
    default: return NULL;
  }
}

static bool is_described_map(const orr_value *value) {
  return value->type == ORR_MAP && (value->declared == ORR_DECLARED_FILE || value->declared == ORR_DECLARED_OBJECT);
}

static int describe_value(orr_builder *b, const orr_value *value, orr_error *err) {
  orr_value plain = is_described_map(value) ? orr_map_get(value, "value") : *value;
  plain.declared = ORR_UNDECLARED;
  plain.transient = false;
  if (!is_given(&plain)) return 0;
  orr_builder_key(b, "value", strlen("value"));
  if (plain.type == ORR_ARRAY || plain.type == ORR_MAP) return json_write(&plain, NULL, b, err);
  orr_builder_add(b, &plain);
  return 0;
}

static void describe_info(orr_builder *b, const orr_value *value) {
  bool map = is_described_map(value);
  if (!map && !value->transient) return;
  orr_builder_key(b, "info", strlen("info"));
  orr_builder_map(b);
  for (size_t i = 0; map && i < FACTS; i++) builder_put_given(b, facts[i].name, orr_map_get(value, facts[i].name));
  if (value->transient) orr_builder_put(b, "transient", orr_bool(true));
  orr_builder_end(b);
}

int orr_builder_describe(orr_builder *builder, const orr_value *value, orr_error *err) {
  REQUIRE(value);
  const char *name = orr_value_type_name(value);
  if (!name) return 0;
  orr_builder_map(builder);
  orr_builder_put(builder, "type", orr_string(name));
  int rc = describe_value(builder, value, err);
  if (!rc) describe_info(builder, value);
  orr_builder_end(builder);
  return rc;
}
