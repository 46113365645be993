/* Types of FEEL, as far as they are known before anything runs. */
#ifndef ORR_FEEL_TYPE_H
#define ORR_FEEL_TYPE_H

#include "base/arena.h"
#include "base/error.h"

enum feel_kind {
  FEEL_ANY, /* nothing is known */
  FEEL_NULL,
  FEEL_NUMBER,
  FEEL_STRING,
  FEEL_BOOLEAN,
  FEEL_DATE,
  FEEL_TIME,
  FEEL_DATE_TIME,
  FEEL_DAYS_DURATION,   /* days and time duration */
  FEEL_MONTHS_DURATION, /* years and months duration */
  FEEL_LIST,            /* of `item` */
  FEEL_RANGE,           /* of `item` */
  FEEL_CONTEXT,         /* with `members`; `open` when there may be others */
  FEEL_FUNCTION,        /* gives `item`; its parameters are `members` */
};

typedef struct feel_type feel_type;

typedef struct feel_member {
  const char *name;
  const feel_type *type; /* NULL: any */
} feel_member;

struct feel_type {
  enum feel_kind kind;
  bool open;
  const feel_type *item; /* NULL: any */
  const feel_member *members;
  size_t n_members;
  const char *lua; /* a Lua expression that gives the run-time type (f.types has its form) instead
                      of one written from the above; a named item definition with constraints has
                      it. NULL for most */
};

/* The builtin type of that name ("number", "years and months duration", "Any", …), or NULL. Static
 * storage. */
const feel_type *feel_type_builtin(const char *name, size_t size);
/* A list of `item`, in the arena; NULL when memory is out. */
const feel_type *feel_type_list(orr_arena *arena, const feel_type *item);
/* The Lua expression of the run-time type, as f.coerce, f.conforms and f.instance_of take it; NULL
 * when memory is out. */
const char *feel_type_lua(orr_arena *arena, const feel_type *type);

#endif
