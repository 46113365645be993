/* Filter keys that are no fields: what they mean, and which indexes answer them. */
#ifndef ORR_QUERY_SPECIAL_H
#define ORR_QUERY_SPECIAL_H

#include "query/filter.h"
#include "uow/find.h"

/* What a key takes; anything else is refused. */
typedef enum special_takes {
  TAKES_SWITCH, TAKES_TEXT, TAKES_TEXTS, TAKES_ID, TAKES_IDS, TAKES_TIME, TAKES_VARIABLES,
  TAKES_PATTERN_OR_SWITCH, TAKES_NAME_OR_SWITCH, /* a text, or true and false */
} special_takes;

/* A filter key of one verb that is no field. */
struct special {
  const rec_type *type;
  const char *name;
  special_takes takes;
  /* Does the record fit? */
  int (*fits)(context *c, const filter_special *s, const rec_head *record, bool *out);
  /* Finds candidates by an index; a record may come more than once, in any order. NULL: no index. */
  int (*find)(context *c, const filter_special *s, unit_found *out);
  /* Puts what is the same for every record into s->prepared; NULL: nothing. Only this function may call
   * the host: while records are walked, the store's view is open. */
  int (*prepare)(context *c, filter_special *s);
};

/* The key of this name for records of that type; NULL: there is none. */
const special *special_named(const rec_type *type, const char *name, size_t size);
/* Calls `fn` for every special key of a type; for the nearest known name. */
void special_names(const rec_type *type, void (*fn)(void *ud, const char *name), void *ud);

/* The tables of keys. Each ends with an entry without a name. */
extern const special specials_of_instances[], specials_of_tasks[], specials_of_jobs[], specials_of_repository[],
    specials_of_history[], specials_of_incidents[], specials_of_involvement[];

/* For a key that only other keys of its group read. */
int special_fits_always(context *c, const filter_special *s, const rec_head *record, bool *out);
/* `active`: not suspended. For every kind of record that can be. */
int special_active(context *c, const filter_special *s, const rec_head *record, bool *out);
/* Is it given as true? */
bool special_switch(const filter_special *s);
/* The text of a value; empty for another. */
rec_text special_text(const orr_value *value);
/* Is it a text, and this one? */
bool special_text_is(rec_text a, const orr_value *b);
/* Is it one of an array's texts? */
bool special_text_among(rec_text a, const orr_value *texts);
/* The groups of the user whom a key names, into s->prepared. */
int special_prepare_groups(context *c, filter_special *s);

#endif
