/* Filter keys that are no fields: what they mean, and the indexes that answer them. */
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
  /* Narrows the candidates by an index; NULL: cannot. A record may come more than once, and in any order. */
  int (*find)(context *c, const filter_special *s, unit_found *out);
  /* What is the same for every record, into s->prepared; NULL: nothing. The host may be asked here, and only here: while
   * records are walked, the store's view is open. */
  int (*prepare)(context *c, filter_special *s);
};

/* What a name means in a filter of that type besides its fields; NULL: nothing. */
const special *special_named(const rec_type *type, const char *name, size_t size);
/* Calls `fn` for every special key of a type; for the nearest known name. */
void special_names(const rec_type *type, void (*fn)(void *ud, const char *name), void *ud);

/* The tables that these look through, each ended by an entry without a name. */
extern const special specials_of_instances[], specials_of_tasks[], specials_of_jobs[], specials_of_repository[],
    specials_of_history[], specials_of_incidents[], specials_of_involvement[];

/* Of a key that others read from its group. */
int special_fits_always(context *c, const filter_special *s, const rec_head *record, bool *out);
/* active: not suspended, whatever can be. */
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
