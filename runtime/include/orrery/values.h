/* Values, errors, times and records: the vocabulary of all the other headers. */
#ifndef ORRERY_VALUES_H
#define ORRERY_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Annotations for the binding generator; the compiler sees the first and the last only. */
#define ORR_API(level) __attribute__((visibility("default")))
#define ORR_ERR(...)
#define ORR_CLASS(...)
#define ORR_OPTIONS
#define ORR_OPT
#define ORR_OUT
#define ORR_CONSUMES
#define ORR_BORROWED(owner)
#define ORR_CALLBACK(lifetime)
#define ORR_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))

/* Names a record of a store for good; 0 names none. Lua sees ids as opaque texts. */
typedef uint64_t orr_id;
typedef int64_t orr_time;     /* milliseconds since the epoch */
typedef int64_t orr_duration; /* milliseconds */

#define ORR_TIME_NONE INT64_MIN /* 'no time', where 0 would be 'not given' */

/* ---- Errors ---------------------------------------------------------------------------------- */

/* name, number, the `kind` that Lua shows, text */
#define ORR_ERROR_MAP(X)                                                                  \
  X(ARGUMENT, -1, "argument", "an argument is wrong")                                     \
  X(NOT_FOUND, -2, "not_found", "there is no such thing")                                 \
  X(DEPLOYMENT, -3, "deployment", "the resources cannot be deployed")                     \
  X(EXPRESSION, -4, "expression", "an expression failed or gave the wrong kind of value") \
  X(SCRIPT, -5, "script", "a delegate, listener or script raised an error")               \
  X(BPMN_ERROR, -6, "bpmn_error", "a BPMN error that nothing caught")                     \
  X(CONFLICT, -7, "conflict", "another transaction changed the same records first")       \
  X(CORRELATION, -8, "correlation", "a message has no receiver, or several")              \
  X(SUSPENDED, -9, "suspended", "the definition, instance or job is suspended")           \
  X(STATE, -10, "state", "this is not possible now")                                      \
  X(LIMIT, -11, "limit", "a limit was reached")                                           \
  X(UNSUPPORTED, -12, "unsupported", "known, but not built")                              \
  X(STORE, -13, "store", "the store failed or is damaged")                                \
  X(MEMORY, -14, "memory", "out of memory")

enum {
#define ORR_X(name, number, kind, text) ORR_E_##name = number,
  ORR_ERROR_MAP(ORR_X)
#undef ORR_X
};

typedef struct orr_value orr_value;

/* What went wrong. The struct is the caller's, usually on its stack; it owns what it points at
 * until orr_error_clear. orr_error_set writes it; a program only reads the members.
 *
 * Two details of ORR_E_STORE, true or absent, tell what may be done. `away`: the store cannot be
 * reached now, or the connection with it was lost; nothing was done, and a later try may succeed.
 * `in_doubt`: the commit was sent, and whether it was made is not known; look before doing it
 * again. */
typedef struct orr_error {
  int code;            /* ORR_E_*, 0 when nothing failed */
  int line;            /* place in Orrery's source */
  const char *file;
  char *message;       /* NULL only when memory was out; then use orr_strerror(code) */
  char *traceback;     /* of a script failure, or NULL */
  orr_value *details;  /* a map: problems, cause, error_code, suggestion, ..., or NULL */
} orr_error;

/// The stock text of a code.
ORR_API(1) const char *orr_strerror(int code);
/// The kind that Lua shows for a code, such as "not_found".
ORR_API(1) const char *orr_error_kind(int code);
/// Releases what an error holds and makes it reusable.
ORR_API(1) void orr_error_clear(orr_error *err);
/// Fills `err` with a failure of the program's own, such as a delegate's: a code and a message in
/// printf's way. The error gets a copy of the message, and lets go of what it held. With NULL for
/// `err` there is nothing to fill. A number that is none of ORR_E_* becomes ORR_E_SCRIPT.
/// @return the code, for the delegate to return.
ORR_API(1) ORR_PRINTF(3, 4)
int orr_error_set(orr_error *err, int code, const char *format, ...);

/* ---- Values ---------------------------------------------------------------------------------- */

typedef enum orr_type {
  ORR_NIL = 0, /* no value: the variable does not exist */
  ORR_NULL,    /* a variable that exists and holds null */
  ORR_BOOL,
  ORR_INT,
  ORR_FLOAT,
  ORR_STRING, /* any bytes */
  ORR_ARRAY,
  ORR_MAP, /* string keys, ascending */
} orr_type;

/* What a variable was declared as, by the names of Camunda's value types; orr_type says how it is
 * held. Only orr_builder_typed makes declared values. */
typedef enum orr_declared {
  ORR_UNDECLARED = 0,
  ORR_DECLARED_BOOLEAN, /* BOOLEAN, DOUBLE and STRING are declared of nulls only: else orr_type says it */
  ORR_DECLARED_SHORT,
  ORR_DECLARED_INTEGER,
  ORR_DECLARED_LONG,
  ORR_DECLARED_DOUBLE,
  ORR_DECLARED_STRING,
  ORR_DECLARED_DATE,   /* seconds since the epoch: ORR_INT or ORR_FLOAT */
  ORR_DECLARED_BYTES,  /* an ORR_STRING, as XML and JSON */
  ORR_DECLARED_FILE,   /* a map: value (the bytes), filename, mimetype, encoding */
  ORR_DECLARED_XML,
  ORR_DECLARED_JSON,   /* the text as it was given; arrays and maps are Json without a declaration */
  ORR_DECLARED_OBJECT, /* a map: value (the serialized text), objectTypeName, serializationDataFormat */
} orr_declared;

/* A scalar, or a borrowed view of bytes that something else owns: the caller, a builder, a set of
 * records. Arrays and maps are views of an encoding that only orr_iterate, orr_map_get and
 * orr_builder read and write. */
struct orr_value {
  uint16_t type;    /* orr_type */
  uint8_t declared; /* orr_declared */
  bool transient;   /* as a variable that is passed in: seen until the transaction ends, never stored */
  uint32_t size;    /* of a string, array or map: its bytes */
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char *bytes;
  } as;
};

/* Walks an array or a map; its fields are private. Valid as long as the value that it walks. */
typedef struct orr_iterator {
  const uint8_t *at, *end;
  bool map;
} orr_iterator;

/// A null: a variable that exists and holds nothing.
ORR_API(1) orr_value orr_null(void);
/// A boolean.
ORR_API(1) orr_value orr_bool(bool b);
/// An integer.
ORR_API(1) orr_value orr_int(int64_t i);
/// A floating-point number.
ORR_API(1) orr_value orr_float(double f);
/// A time or a duration as values have it: a number of seconds.
ORR_API(1) orr_value orr_seconds(int64_t milliseconds);
/// The milliseconds of a value that is a number of seconds; ORR_TIME_NONE for any other value, and
/// for more than 64 bits hold.
ORR_API(1) int64_t orr_milliseconds(const orr_value *seconds);
/// A view of a NUL-terminated text, which is not copied; ORR_NIL for NULL.
ORR_API(1) orr_value orr_string(const char *text);
/// A view of `size` bytes, which are not copied; ORR_NIL for NULL, unless `size` is 0.
ORR_API(1) orr_value orr_bytes(const void *bytes, size_t size);
/// Begins a walk of an array or a map. A walk of any other value ends at once.
ORR_API(1) orr_iterator orr_iterate(const orr_value *array_or_map);
/// The next element. `key` is set for maps. False at the end.
ORR_API(1)
bool orr_next(orr_iterator *iterator, orr_value *key ORR_OUT, orr_value *value ORR_OUT);
/// Looks a key up in a map; ORR_NIL when it has none.
ORR_API(1) orr_value orr_map_get(const orr_value *map, const char *key);
/// The number of elements; 0 for what is neither array nor map.
ORR_API(1) size_t orr_count(const orr_value *array_or_map);

/* Builds one value, from front to back, in memory that it owns. For one thread at a time. The first
 * error is kept, what follows it does nothing, and orr_builder_value reports it. NULL in place of a
 * builder takes whatever it is given and keeps nothing: for results that are not wanted. */
typedef struct orr_builder orr_builder;
/// An empty builder, for orr_builder_free; NULL when memory is out.
ORR_API(1) orr_builder *orr_builder_new(void);
/// Frees the builder and every value that it gave. NULL is fine.
ORR_API(1) void orr_builder_free(orr_builder *builder);
/// Opens an array: what is added next are its elements, until orr_builder_end.
ORR_API(1) void orr_builder_array(orr_builder *builder);
/// Opens a map: orr_builder_key stands before each value, until orr_builder_end.
ORR_API(1) void orr_builder_map(orr_builder *builder);
/// Gives the next value of the open map its key. Keys come in any order; of equal ones the last
/// counts.
ORR_API(1) void orr_builder_key(orr_builder *builder, const char *key, size_t size);
/// Adds a copy of a value. ORR_NIL, or NULL, adds no entry to a map and a null to an array.
ORR_API(1) void orr_builder_add(orr_builder *builder, const orr_value *value);
/// Adds the value that a JSON text says: `{"n": 7, "tags": ["a"]}`. A whole number beyond 64 bits is a
/// float. `argument`: it is no JSON, and the message says at which byte; then nothing is added.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, MEMORY)
int orr_builder_json(orr_builder *builder, const char *json, orr_error *err);
/// Closes the array or map that was opened last.
ORR_API(1) void orr_builder_end(orr_builder *builder);
/// Adds a value of a declared type, named as Camunda names it, in any case: "Integer", "date",
/// "File". `value` may be NULL or a null. A Date is a number of seconds since the epoch or an
/// ISO 8601 text; a Json is a text of JSON, an array or a map; an Object is its serialized text,
/// which the engine never reads. `info` is a map or NULL: filename, mimetype and encoding of a
/// File, objectTypeName and serializationDataFormat of an Object, transient (a boolean) of any.
/// `argument`: the value does not fit the type; then nothing is added.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY)
int orr_builder_typed(orr_builder *builder, const char *type, const orr_value *value ORR_OPT,
    const orr_value *info ORR_OPT, orr_error *err);
/// Adds a map that describes a value: type (as for orr_builder_typed; an undeclared whole number is
/// Integer within 32 bits, else Long; arrays and maps are Json; a null is "Null"), value (absent
/// for a null; the text of a Json, the bytes of a File) and info (when there is any). Passed to
/// orr_builder_typed, they make the same value again.
ORR_API(1) ORR_ERR(MEMORY)
int orr_builder_describe(orr_builder *builder, const orr_value *value, orr_error *err);
/// The name of a value's type, as orr_builder_describe gives it; NULL for ORR_NIL.
ORR_API(1) const char *orr_value_type_name(const orr_value *value);
/// Adds key and value to the open map in one call; ORR_NIL adds nothing.
ORR_API(1) void orr_builder_put(orr_builder *builder, const char *key, orr_value value);
/// Adds a map of resources, for orr_engine_deploy: one file, or every file of a folder and of the
/// folders below it, named by its path from there. Hidden files (.env, .git) are left out.
ORR_API(1) ORR_ERR(LIMIT, MEMORY, NOT_FOUND)
int orr_builder_resources(orr_builder *builder, const char *path, orr_error *err);
/// The finished value, borrowed from the builder until it is reset or freed; or the first error of
/// building it. `memory`: also without a builder, as orr_builder_new leaves its caller when memory
/// is out.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT, MEMORY)
int orr_builder_value(orr_builder *builder, orr_value *out ORR_OUT, orr_error *err);
/// Empties the builder, which keeps its memory for the next value; values that it gave are invalid.
ORR_API(1) void orr_builder_reset(orr_builder *builder);

/* ---- Words of many calls --------------------------------------------------------------------- */

typedef enum orr_switch { ORR_UNSET, ORR_OFF, ORR_ON } orr_switch;

/* Named instead of true and false, so that a call can be read; Lua passes booleans. */
/* The thing itself, or what depends on it, too; quietly: listeners of instances that go do not
 * hear of it. */
typedef enum orr_cascade { ORR_ALONE, ORR_CASCADE, ORR_CASCADE_QUIETLY } orr_cascade;
typedef enum orr_reach { ORR_VISIBLE, ORR_LOCAL } orr_reach;           /* every scope that is seen, or the named one */
typedef enum orr_due_basis { ORR_FROM_NOW, ORR_FROM_CREATION } orr_due_basis;
typedef enum orr_cron_rules { ORR_CRON_QUARTZ, ORR_CRON_CAMUNDA } orr_cron_rules;

/* ---- Times ----------------------------------------------------------------------------------- */

/// Reads an ISO 8601 date or time; without a zone it is UTC.
/// @return milliseconds since the epoch.
ORR_API(1) ORR_ERR(ARGUMENT)
int orr_time_parse(const char *text, orr_time *out ORR_OUT, orr_error *err);
/// Reads an ISO 8601 duration; months and years are counted from `base`.
/// @return its length in milliseconds.
ORR_API(1) ORR_ERR(ARGUMENT, LIMIT)
int orr_duration_parse(const char *text, orr_time base, orr_duration *out ORR_OUT, orr_error *err);
/// When a cron expression fires next after a time, by the clocks of a zone (UTC when not given).
/// By Quartz's rules weekdays count from Sunday = 1, by Camunda's from Sunday = 0. `not_found`: it
/// never fires.
/// @return milliseconds since the epoch.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, NOT_FOUND)
int orr_cron_next(const char *expression, orr_time after, const char *zone ORR_OPT,
    orr_cron_rules rules, orr_time *out ORR_OUT, orr_error *err);
/// Writes a time as ISO 8601, such as 2026-03-15T10:20:30Z.
ORR_API(1) int orr_time_format(orr_time time, orr_builder *out, orr_error *err);
/// Writes a time by the clocks of a zone, such as 2026-03-15T11:20:30+01:00 for Europe/Berlin.
ORR_API(1) ORR_ERR(ARGUMENT, MEMORY, NOT_FOUND)
int orr_time_format_local(orr_time time, const char *zone, orr_builder *out, orr_error *err);

/* ---- Records --------------------------------------------------------------------------------- */

/// Records that a call returned: copies of what was stored then, owned by the caller.
typedef struct orr_records orr_records ORR_CLASS(destroy = orr_records_free);

/// Frees the records and every value read from them. NULL is fine.
ORR_API(1) void orr_records_free(orr_records *records);
/// How many there are; they are numbered from 0.
ORR_API(1) size_t orr_records_count(const orr_records *records);
/// One field of one record, by the names of the Lua API; ORR_NIL when it is not set. Borrowed from
/// the records.
ORR_API(1) orr_value orr_records_get(const orr_records *records, size_t index, const char *field);
/// The id of one record; 0 when there is no such record, or its kind has none.
ORR_API(1) orr_id orr_records_id(const orr_records *records, size_t index);
/// Walks the fields of a record that are set: the `n`th of them (from 0), with its name; false when
/// there are no more.
ORR_API(1)
bool orr_records_field(const orr_records *records, size_t index, size_t n,
    const char **name ORR_OUT, orr_value *value ORR_OUT);
/// Adds all records as one JSON text: an array of objects, with the fields that are set by the
/// names of the Lua API. What is no UTF-8 becomes U+FFFD.
ORR_API(1) ORR_ERR(LIMIT, MEMORY)
int orr_records_json(const orr_records *records, orr_builder *out, orr_error *err);
/// The kind of the records: "task", "job", ...
ORR_API(1) const char *orr_records_kind(const orr_records *records);

#ifdef __cplusplus
}
#endif
#endif
