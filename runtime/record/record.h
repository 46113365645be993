/* What the generated code says about each kind of record. The unit of work, the query layer, the checker and the bindings walk
 * these tables; encoding and decoding are straight-line code behind the function pointers.
 *
 * Included by the generated records.h: whoever needs records includes that. */
#ifndef ORR_RECORD_RECORD_H
#define ORR_RECORD_RECORD_H

#include "record/head.h"

typedef enum rec_field_type {
  REC_ID,    /* orr_id */
  REC_BOOL,  /* bool */
  REC_INT,   /* int64_t */
  REC_TIME,  /* orr_time, 0 none */
  REC_U8,    /* uint8_t */
  REC_NODE,  /* uint32_t, index + 1, 0 none */
  REC_TEXT,  /* rec_text */
  REC_VALUE, /* orr_value */
  REC_IDS,   /* rec_ids */
  REC_TEXTS, /* rec_texts */
} rec_field_type;

typedef struct rec_field {
  const char *name;
  const char *api_name; /* NULL: not for the API */
  uint8_t type;         /* rec_field_type */
  bool queryable;
  uint16_t offset;
} rec_field;

#define REC_INDEX_FIELDS_MAX 4

/* One index: rows 'i', number, fields, primary key. */
typedef struct rec_index_type {
  const char *name;
  const rec_type *type;
  uint8_t number;
  uint8_t n_fields;
  uint8_t fields[REC_INDEX_FIELDS_MAX]; /* numbers in type->fields */
  bool desc[REC_INDEX_FIELDS_MAX];
  bool lists_all;                    /* whoever has the fields looked for has a row: a query may rely on it */
  bool own_group;                    /* the first field, where it is not 0, is an id of the record's own group */
  bool (*holds)(const void *record); /* does this record have a row? */
  /* Writes tag, number and fields (not the primary key); NULL when they do not fit before `end`. */
  uint8_t *(*row)(const void *record, uint8_t *out, uint8_t *end);
} rec_index_type;

struct rec_type {
  const char *name;
  const char *verb; /* of the API's lists; NULL: not listed */
  uint8_t number;   /* position in rec_types */
  char tag;         /* first byte of the key */
  bool keyed;       /* has a key of its own instead of an id */
  bool ready_orders;
  bool succeeds;    /* a record may lie at the key of an earlier one of its group: uow/succession.h */
  uint8_t n_key;    /* the first n_key fields are the key */
  uint8_t n_fields;
  uint8_t n_indexes;
  uint16_t size; /* of the struct */
  const rec_field *fields;
  const rec_index_type *indexes;
  uint8_t *(*encode_key)(const void *record, uint8_t *out, uint8_t *end); /* NULL: longer than the room */
  int (*decode_key)(void *record, orr_arena *arena, const uint8_t *key, size_t size);
  /* What follows store_header. encode writes at most encode_bound bytes and returns the end. */
  size_t (*encode_bound)(const void *record);
  uint8_t *(*encode)(const void *record, uint8_t *out);
  int (*decode)(void *record, orr_arena *arena, const uint8_t *bytes, size_t size); /* texts point into `bytes` */
};

/* Every kind of record, in the order of runtime/record/records.lua. */
extern const rec_type *const rec_types[];
/* By enum rec_index; NULL at numbers that are not in use. */
extern const rec_index_type *const rec_indexes[];

/* The type that a list verb ("jobs") is of, or NULL. */
const rec_type *rec_type_by_verb(const char *verb);
/* The type whose keys begin so, or NULL. */
const rec_type *rec_type_by_tag(char tag);

/* The whole stored value with its header. `out` has room for record_bound bytes; returns the size. */
size_t record_bound(const rec_type *type, const void *record);
/* The stored value, with its header, into `out`; its size. */
size_t record_encode(const rec_type *type, const void *record, uint32_t revision, uint8_t *out);
/* Fills a zeroed record from a stored value, which must live as long as the record: texts point into it.
 * ORR_E_STORE with the record's name and key for damaged bytes, or ORR_E_MEMORY. */
int record_decode(const rec_type *type, void *record, orr_arena *arena, store_bytes key, store_bytes value, orr_error *err);
/* The id that a record with such a key has, when its own local number is another. False: it cannot be, since keys are those of
 * earlier records. */
static inline bool record_succeed(orr_id *id, int64_t local) {
  if (local <= (int64_t)orr_id_local(*id) || local > (int64_t)ORR_LOCAL_MAX) return false;
  *id = orr_id_make(orr_id_group(*id), (uint32_t)local);
  return true;
}

/* "job 12" or "variable (12, 'name')" into `out`; for messages. */
void record_describe(store_bytes key, char *out, size_t size);

/* One field of a record, by its description. */
static inline const void *record_field(const void *record, const rec_field *f) {
  return (const char *)record + f->offset;
}

#endif
