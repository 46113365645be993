/* The table of the interface as the generator writes it from server/table/: operations, the
 * parameters and sort keys of queries, the fields of what is returned. */
#ifndef SERVER_TABLE_H
#define SERVER_TABLE_H

#include "orrery.h"

struct request;
struct json_out;

typedef enum role {
  ROLE_NONE = 0, ROLE_READ = 1, ROLE_WORKER = 2, ROLE_OPERATE = 4, ROLE_DEPLOY = 8, ROLE_TASK = 16,
} role;

/* What somebody with the role "task" alone may do with an operation (server/auth/people.h). */
typedef enum people {
  PEOPLE_NONE,
  PEOPLE_ALL,     /* what everybody may */
  PEOPLE_TASKS,   /* lists the tasks that they may see */
  PEOPLE_TASK,    /* of a task in the path that they may see */
  PEOPLE_OWN,     /* of a task in the path whose assignee they are */
  PEOPLE_CLAIM,   /* takes one that they may see, for themselves */
  PEOPLE_DATES,   /* changes due and follow-up dates of their own, and nothing else */
  PEOPLE_TASK_OF, /* of the argument taskId, which they may see */
  PEOPLE_DONE,    /* lists tasks, ended ones too, whose assignee they are or were */
  PEOPLE_STARTS,  /* lists the definitions that they may start */
  PEOPLE_START,   /* of a definition in the path that they may start */
  PEOPLE_MODEL,   /* of one that they may start, or of which they may see a task */
  PEOPLE_SELF,    /* of the argument userId, which is theirs */
} people;

/* ---- What is returned ------------------------------------------------------------------------- */

typedef enum field_kind {
  FIELD_TEXT = 1, FIELD_ID, FIELD_INT, FIELD_BOOL, FIELD_TIME, FIELD_VALUE,
  FIELD_NULL, FIELD_FALSE, FIELD_ZERO, FIELD_EMPTY, /* what Orrery has nothing for */
  FIELD_COMPUTED,
  FIELD_ASKED, /* computed, and only written when the request asks for it by a switch */
} field_kind;

/* What a field is computed from: one record, within the read transaction of the request. */
typedef struct row {
  struct request *request;
  const orr_records *records;
  size_t index;
} row;

typedef struct dto_field {
  const char *name;   /* Camunda's */
  field_kind kind;
  const char *field;  /* the record's; FIELD_ASKED: the switch */
  void (*compute)(const row *r, struct json_out *out);
  const char *other;  /* FIELD_ASKED: another switch, or NULL */
} dto_field;

typedef struct dto {
  const char *name;
  const dto_field *fields;
  size_t n_fields;
} dto;

/* ---- Queries ---------------------------------------------------------------------------------- */

typedef enum param_kind {
  PARAM_TEXT = 1, PARAM_TEXTS, PARAM_ID, PARAM_IDS, PARAM_INT, PARAM_TIME, PARAM_LIKE,
  PARAM_FLAG,      /* true sets the key to true; false does nothing, as Camunda has it */
  PARAM_NOT,       /* true sets the key to false */
  PARAM_BOOL,      /* sets the key to what is given */
  PARAM_NONE,      /* true: the key's field is not set */
  PARAM_SOME,      /* true: the field is set; the key is of its operator ne */
  PARAM_BESIDE,    /* a flag that changes how the others are meant: it goes with each of them */
  PARAM_BEFORE_OR_NONE, /* before a time, or not set */
  PARAM_ANY,       /* queries within the query, of each of which one condition must hold */
  PARAM_ROW,       /* the id of a row without one in the store, "instance:number": its number, which no other row has */
  PARAM_ROWS,
  PARAM_LOWER,     /* a word, in small letters */
  PARAM_WORD,      /* true sets the key to the word behind = */
  PARAM_VARIABLES, /* name_operator_value, ... or objects */
  PARAM_OWN,       /* the same, of a record that is a variable itself */
  PARAM_CASED,     /* a text, or a pattern; without regard to case when the flag `word` is on */
  PARAM_VALUE,     /* any plain value */
  PARAM_TIMES,     /* operator_time, ... or objects */
  PARAM_TASK,      /* the id of a task, which may be its maker's */
  PARAM_TASKS,
  PARAM_SWITCH,    /* changes how others are read, or what is returned; no filter */
  PARAM_TYPES,     /* types of variables, whatever their capitals */
  PARAM_LOG,       /* the id of a row of a log, "instance:job:number"; the key is of what it is about */
  PARAM_IDLE,      /* known, and means nothing here */
  PARAM_PERMITTED, /* true: nothing, for a user whose role may start nothing */
  PARAM_UNBUILT,   /* answers 400, unless it is off */
} param_kind;

typedef struct param {
  const char *name;
  param_kind kind;
  const char *key;    /* of the verb's filter; PARAM_UNBUILT: why not */
  /* PARAM_OWN, PARAM_VALUE: the flag by which values have no case; PARAM_WORD: what it is set to;
   * PARAM_TEXT: whose other names are Camunda's (names.h) */
  const char *word;
} param;

typedef struct sort_key {
  const char *name;
  const char *field;  /* NULL: known, but not built */
} sort_key;

/* What rows of a list need beside what every list shows. */
typedef struct listing_more {
  const char *field; /* a field that is not shown else, or the key "with_variables" or its kin */
  const char *asked; /* the switch that asks for it; NULL: always */
} listing_more;

typedef struct listing {
  const char *name;
  const char *verb;
  const dto *dto;
  const param *params;
  size_t n_params;
  const sort_key *sorts;
  size_t n_sorts;
  const char *unset;  /* a field that is not set in what it lists; NULL: none */
  const char *on;     /* a switch that is on for it; NULL: none */
  const listing_more *more;
  size_t n_more;
} listing;

/* ---- Operations ------------------------------------------------------------------------------- */

typedef enum member_kind {
  MEMBER_TEXT = 1, MEMBER_ID, MEMBER_BOOL, MEMBER_INT, MEMBER_TIME, MEMBER_TEXTS, MEMBER_IDS, MEMBER_ARRAY, MEMBER_MAP,
      MEMBER_ANY,
  MEMBER_VARIABLES, MEMBER_QUERY, MEMBER_UNBUILT,
} member_kind;

/* A member of a body. Others are ignored, as Camunda does. */
typedef struct body_field {
  const char *name;
  member_kind kind;
  const char *unbuilt; /* why it answers 400 when it is given */
} body_field;

typedef struct operation {
  const char *method;
  const char *path;       /* below /engine-rest[/engine/{name}] */
  role role;              /* one of these is enough */
  people people;          /* without it */
  bool command;           /* runs on the pool, may change things */
  bool slow;              /* reads so much that it runs on the pool too, not on a loop's thread */
  bool body;              /* wants a JSON object: none would clear everything */
  bool multipart;
  bool again;             /* one that lost a race is tried again */
  bool deferred;          /* its command is the last that it asks the engine: no thread waits for the commit */
  bool engineless;        /* asks no engine: it waits for no store, and is answered on the loop */
  bool each;              /* asks one engine after the other (dispatch_each) */
  bool (*prepare)(struct request *q); /* first; NULL: nothing. False: the request has failed */
  int (*handle)(struct request *q);
  const listing *query;     /* what it lists, counts or finds */
  int missing_status;     /* for an id that there is not */
  const char *missing;    /* Camunda's sentence, with %s for the id */
  const char *unbuilt;    /* why it answers 501 */
  size_t n_arguments;     /* of the query string, where it is no query */
  const param *arguments;
  size_t n_members;
  const body_field *members;
} operation;

extern const operation operations[];
extern const size_t n_operations;

#endif
