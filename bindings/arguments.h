/* Arguments of functions that Lua calls: each raises unless the value fits. */
#ifndef ORRERY_ARGUMENTS_H
#define ORRERY_ARGUMENTS_H

#include "bindings/orrl.h"

const char *orrl_text(orrl_call *c, int index, bool optional);       /* NULL when not given */
int64_t orrl_integer(orrl_call *c, int index, bool optional);        /* 0 when not given */
double orrl_number(orrl_call *c, int index, bool optional);          /* 0 when not given */
bool orrl_boolean(orrl_call *c, int index, bool optional);           /* false when not given */
orr_cascade orrl_cascade(orrl_call *c, int index); /* true, or "quietly"; alone when not given */
orr_id orrl_id(orrl_call *c, int index, bool optional);              /* 0 when not given */
orr_time orrl_time(orrl_call *c, int index, bool optional);          /* seconds or ISO 8601; orrery.null: ORR_TIME_NONE */
orr_duration orrl_duration(orrl_call *c, int index, bool optional);  /* seconds or ISO 8601 */
/* NULL when not given; `name` begins the path */
const orr_value *orrl_value(orrl_call *c, int index, bool optional, const char *name);

/* Option structs, described field by field. */
typedef enum orrl_option_type {
  ORRL_TEXT,
  ORRL_INTEGER,
  ORRL_UINT32,
  ORRL_NUMBER,
  ORRL_BOOLEAN,
  ORRL_ID,
  ORRL_TIME,
  ORRL_DURATION,
  ORRL_SWITCH,
  ORRL_ENUM,
  ORRL_VALUE,
  ORRL_NESTED,
} orrl_option_type;

typedef struct orrl_option {
  const char *name;
  uint16_t offset;
  uint8_t type;           /* orrl_option_type */
  const void *details;    /* ENUM: NULL-ended names, by number; NESTED: orrl_options */
} orrl_option;

typedef struct orrl_options {
  const char *name;       /* "start options" */
  const orrl_option *items;
  size_t count, size;     /* sizeof the struct, whose first member is `size` */
} orrl_options;

/* Fills `out` (cleared first) from the table at `index`; nil leaves it empty. What it points at is valid until orrl_end. */
void orrl_read_options(orrl_call *c, int index, const orrl_options *options, void *out);
/* The known name nearest to a wrong one, or NULL when none is near. */
const char *orrl_nearest(const char *wrong, const char *const *names, size_t count);

#endif
