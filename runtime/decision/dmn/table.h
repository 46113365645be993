/* Decision tables while they are compiled: their inputs, policy and result. */
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

/* The value as a vendor's type has it (NULL: none), else made to be of the type. */
dmn_piece dmn_converted(dmn_build *b, dmn_piece piece, const char *convert, const feel_type *type);

/* A part of the chunk of its own: "H[n]" = `lua`. */
const char *dmn_part(dmn_build *b, const char *lua);

#endif
