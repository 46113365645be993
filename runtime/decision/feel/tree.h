/* What the parser makes of a FEEL text. Names are resolved while parsing, since a name's extent
 * depends on what is in scope: a node says which Lua expression holds its value. Everything lives
 * in the unit's arena. */
#ifndef ORR_FEEL_TREE_H
#define ORR_FEEL_TREE_H

#include "decision/feel/unit.h"

typedef enum feel_node_kind {
  /* Literals */
  N_NULL,
  N_TRUE,
  N_FALSE,
  N_NUMBER,     /* `text` as written, with its sign when it had one */
  N_STRING,     /* `text` and `size`, without quotes and escapes */
  N_AT,         /* @"text" */
  N_LIST,       /* `first`: the items */
  N_CONTEXT,    /* `first`: N_ENTRY; `lua`: the local that holds it while it is built */
  N_ENTRY,      /* `text`: the key; `first`: the value */
  N_RANGE,      /* `first`: low and high; `low_open`, `high_open` */
  N_HALF_RANGE, /* `< 10`: `op` and `first` */
  N_FUNCTION,   /* `first`: N_PARAMETERs, then the body; `external`: there is none */
  N_PARAMETER,  /* `text`: its name; `lua`: its local; `type` */
  /* Names */
  N_NAME,    /* `text`: as messages say it; `lua`: the expression that gives it, NULL for an unknown
                one; `probes` */
  N_BUILTIN, /* `text`: a built-in function */
  N_INPUT,   /* `?`: `lua` */
  /* Operators */
  N_NEGATE,
  N_ARITHMETIC, /* `op`: add sub mul div pow; `first`: two */
  N_AND,        /* `first`: two or more */
  N_OR,
  N_COMPARE,  /* `op`: eq ne lt le gt ge; `first`: two */
  N_BETWEEN,  /* `first`: value, low, high */
  N_IN,       /* `first`: the value, then N_TESTS */
  N_INSTANCE, /* `first`; `of`: the type */
  N_PATH,     /* `first`; `text`: the member */
  N_FILTER,   /* `first`: the list, the condition; `lua`: the local of the item */
  N_CALL,     /* `first`: the function, then the arguments; `named`: each is an N_ENTRY */
  /* What repeats and chooses */
  N_IF,  /* `first`: condition, value, other */
  N_FOR, /* `first`: N_ITERATORs, then what is returned; `lua`: the local of `partial` */
  N_SOME,
  N_EVERY,
  N_ITERATOR, /* `lua`: its local; `first`: a domain, or the two ends of a span */
  /* Unary tests */
  N_ANY,       /* `-` */
  N_TESTS,     /* `first`: the tests, one of which must hold */
  N_NOT_TESTS, /* `first`: none of which may hold */
} feel_node_kind;

typedef enum feel_op {
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_POW,
  OP_EQ,
  OP_NE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
} feel_op;

/* Where a name may be a member of the item that a filter looks at, which only running tells: the
 * filters from the inside out, up to the place where the name is declared. */
typedef struct feel_probe feel_probe;
struct feel_probe {
  const feel_probe *next;
  const char *lua; /* the local of the item */
};

typedef struct feel_node feel_node;
struct feel_node {
  feel_node_kind kind;
  feel_op op;
  bool low_open, high_open, external, named;
  bool asked;      /* N_NAME: without a declaration; the host is asked, and `lua` is what it is when
                      the host has none */
  bool asks_input; /* holds a `?` somewhere */
  bool refers;     /* N_CONTEXT: an entry reads an earlier one; N_FOR: the body reads `partial` */
  size_t at;       /* in the text */
  const char *text;
  size_t size;
  const char *lua;
  const feel_type *type; /* of the value; never NULL */
  const feel_type *of;   /* N_INSTANCE */
  const feel_probe *probes;
  const char *function; /* N_NAME: a declared name that is called, and a built-in function has, too;
                           NULL: none has */
  feel_node *first, *next;
};

#endif
