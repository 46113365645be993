/* Decision tables while they are compiled: what table.c (inputs, policy, result) and rules.c (rules, index) share. */
#ifndef ORR_DMN_TABLE_H
#define ORR_DMN_TABLE_H

#include "decision/dmn/dmn_internal.h"

typedef struct dmn_input {
  const xml_element *element;
  const char *local;     /* that holds the value */
  const feel_type *type; /* which it has, or is null */
} dmn_input;

typedef struct dmn_output {
  const xml_element *element;
  const char *name;      /* NULL: the only output needs none */
  const feel_type *type;
  const char *convert;   /* a vendor's type, to which values are converted; NULL: none */
  const char *rank;      /* "H[n]": the place of a value among the output values; NULL: there are none */
} dmn_output;

typedef enum dmn_matching { DMN_FIRST, DMN_ONLY, DMN_EVERY } dmn_matching;

typedef struct dmn_table {
  const xml_element *element;
  const feel_scope *scope;
  const char *label; /* a Lua string: what diagnostics call it */
  char policy, aggregation;
  dmn_matching matching;
  dmn_input *inputs;
  uint32_t n_inputs;
  dmn_output *outputs;
  uint32_t n_outputs;
  const xml_element **rules;
  uint32_t n_rules;
  dmn_piece **tests;   /* by rule and input; `true` where a cell says nothing */
  const char **values; /* by rule: the output as a Lua expression */
  bool constant;       /* all of them are literals */
  const char *arguments; /* of its hoisted functions: "s, v1, …" */
} dmn_table;

/* table.c: the value as a vendor's type has it (NULL: none), else made to be of the type. */
dmn_piece dmn_converted(dmn_build *b, dmn_piece piece, const char *convert, const feel_type *type);

/* rules.c. Compiles the cells into tests and values, and finds the arguments. */
void dmn_compile_rules(dmn_build *b, dmn_table *t);
/* Statements that leave the hits in the local h: a rule's number or nil; with DMN_EVERY an array with its size in the
 * local n. */
void dmn_match_rules(dmn_build *b, dmn_table *t, dmn_out *out);
/* The Lua expression of the output of the rule whose number the expression `rule` gives. */
const char *dmn_output_of(dmn_build *b, dmn_table *t, const char *rule);
/* "local scope = …" when the text asks for names that only run time knows, else "". */
const char *dmn_scope_local(const char *text);
/* A part of the chunk of its own: "H[n]" = `lua`. */
const char *dmn_part(dmn_build *b, const char *lua);

/* index.c. "H[n]", a function from the value of an input to the numbers of the rules that it leaves, and which input that
 * is; NULL when no input divides the rules well. The tests of that input need not be made then. */
const char *dmn_make_index(dmn_build *b, const dmn_table *t, uint32_t *input);

#endif
