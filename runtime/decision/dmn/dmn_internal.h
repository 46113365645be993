/* The inside of the DMN compiler: one file and what it imports go through four passes into one chunk.
 *
 *   grammar.c  reports what has no business where it stands
 *   read.c     finds the imports, the graph's nodes and their requirements
 *   type.c     makes types of item definitions and type references
 *   chunk.c    writes the chunk: types, knowledge models, decisions, services
 *     boxed.c  boxed expressions; table.c, rules.c  decision tables; text.c  texts in FEEL, JUEL and Lua
 *
 * DESIGN. The XML tree is the syntax tree of boxed expressions: nothing copies it. As in model/parse, problems never stop
 * a pass, and memory running out jumps back to dmn_compile, since all that is made lies in arenas; so nothing here checks
 * an allocation.
 *
 * THE CHUNK is a function of f (FEEL's support, orrery.feel) and D (orrery.decision.support). In it
 *     T[n]  run-time types that need code     B[n]  knowledge models and services, as FEEL functions
 *     J[n]  compiled JUEL and Lua texts       H[n]  parts of large tables: a hundred rules to a function
 *     E[n]  node number n: a function of the state s of one evaluation, which gives the node's value
 * In the state, s.vars holds what the caller gave, s[n] the values of the decisions so far, s[-n] = true when decision n
 * gave null, and s.trace what history wants to know, when it does. Inside E[n] the values of what node n requires are in
 * locals n<m>, m being the number of the required node; those that boxed expressions make are FEEL's v<k>. */
#ifndef ORR_DMN_INTERNAL_H
#define ORR_DMN_INTERNAL_H

#include <setjmp.h>

#include "base/limits.h"
#include "decision/dmn/dmn.h"
#include "decision/feel/unit.h"
#include "model/names.h"
#include "model/xml/xml.h"

/* ---- The model ------------------------------------------------------------------------------- */

typedef enum dmn_node_kind { DMN_INPUT, DMN_DECISION, DMN_KNOWLEDGE, DMN_SERVICE } dmn_node_kind;
typedef enum dmn_vendor { DMN_STANDARD, DMN_CAMUNDA, DMN_FLOWABLE } dmn_vendor;
typedef enum dmn_language { DMN_FEEL, DMN_JUEL, DMN_LUA, DMN_UNKNOWN } dmn_language;

typedef struct dmn_model dmn_model;
typedef struct dmn_node dmn_node;

struct dmn_node {
  dmn_node_kind kind;
  uint32_t number; /* from 1, of all models of the chunk */
  dmn_model *model;
  const xml_element *element;
  const char *id, *name; /* the variable's name, else the element's */
  const feel_type *type; /* its value's, or its result's for what is a function; NULL: any */
  const char *lua;       /* how others read it: a local of theirs, or B[n] */
  dmn_node **required;   /* inputs, decisions and knowledge that it says it requires */
  uint32_t n_required;
  uint8_t mark;          /* of the search for circles */
};

typedef struct dmn_item { /* an item definition */
  const xml_element *element;
  const char *name;
  const feel_type *type; /* once made */
  bool open;             /* being made: whoever asks now stands in a circle */
} dmn_item;

typedef struct dmn_import {
  const char *name; /* may be "": its names need no prefix */
  const char *ns;
  dmn_model *model; /* NULL: not a DMN model, or missing */
} dmn_import;

struct dmn_model {
  const char *resource, *ns;
  const xml_element *root;
  bool first;         /* the one that was asked for: its problems are reported */
  const dmn_model *importer; /* the way from the first model; NULL: it is that */
  const char *import_name;   /* by which the importer calls it; may be "" */
  bool legacy;        /* DMN 1.1 */
  bool ours;          /* uses Orrery's namespace, and no vendor's */
  dmn_vendor vendor;
  dmn_language language, entry_language; /* of texts that do not say; entries: cells of inputs */
  names by_id;        /* nodes */
  names items;        /* item definitions by name */
  dmn_node **nodes;
  uint32_t n_nodes;
  dmn_import *imports;
  uint32_t n_imports;
  feel_member *types; /* item definitions as names of types, imported ones with their prefix */
  uint32_t n_types;
};

/* A text that grows, NUL-terminated, in the scratch arena. */
typedef struct dmn_out {
  char *text;
  size_t size, capacity;
} dmn_out;

typedef struct dmn_build {
  jmp_buf out_of_memory;
  orr_arena *arena; /* scratch: goes with the build */
  const orr_value *resources;
  const dmn_options *options;
  problems *problems;
  dmn_model *model; /* the one being compiled now */
  dmn_model **models;
  uint32_t n_models;
  const xml_element *import; /* of the first model, through which another is being read */
  dmn_node **nodes; /* by number - 1 */
  uint32_t n_nodes;
  names refused; /* type references that were reported */
  feel_unit *unit;
  dmn_out types, parts, bodies; /* T; H and J; E and B */
  uint32_t n_types, n_parts, n_codes;
  bool state; /* what is written now has the state of an evaluation, s: a decision, not a knowledge model */
} dmn_build;

/* ---- Memory and text: build.c ---------------------------------------------------------------- */

/* Memory is out: jumps back to where the build began, which fails. */
void dmn_memory(dmn_build *b) __attribute__((noreturn));
/* What an error says, in the arena, so that a jump loses nothing; `err` is cleared. Jumps when it is that memory is out. */
const char *dmn_take_error(dmn_build *b, int rc, orr_error *err);
void *dmn_alloc(dmn_build *b, size_t size); /* cleared */
#define DMN_NEW(b, type) ((type *)dmn_alloc((b), sizeof(type)))
#define DMN_ARRAY(b, type, n) ((type *)dmn_alloc((b), sizeof(type) * (size_t)(n)))
/* A text of the build's arena; memory that is out ends the build. */
const char *dmn_printf(dmn_build *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends text to a growing one; memory that is out ends the build. */
void dmn_add(dmn_build *b, dmn_out *out, const char *text);
/* The same, formatted. */
void dmn_addf(dmn_build *b, dmn_out *out, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A Lua string literal. */
void dmn_add_quoted(dmn_build *b, dmn_out *out, const char *text);
/* The same as a text of its own. */
const char *dmn_quoted(dmn_build *b, const char *text);
const char *dmn_text_of(const dmn_out *out); /* never NULL */
const char *dmn_local(dmn_build *b);         /* a fresh v<k> */
void dmn_push(dmn_build *b, void *array, uint32_t *count, const void *item); /* onto an array of pointers */

/* ---- Elements -------------------------------------------------------------------------------- */

/* NULL for what is no DMN namespace; else its version: "1.1" to "1.6". */
const char *dmn_version(const char *ns);
/* Is it DMN's element of that name, in any version? */
bool dmn_is(const xml_element *e, const char *name);
/* The first child of that name, or the next behind `after`. */
const xml_element *dmn_child(const xml_element *e, const char *name);
/* The next child of that name behind `after`; NULL: the first. NULL when there is none, or no `e`. */
const xml_element *dmn_next(const xml_element *e, const xml_element *after, const char *name);
/* How many children have that name. */
uint32_t dmn_count(const xml_element *e, const char *name);
/* The boxed expression that stands in `e`; NULL: none. */
const xml_element *dmn_expression_in(const xml_element *e);
const char *dmn_trimmed(dmn_build *b, const char *text); /* NULL or blank: NULL */
const char *dmn_attribute(dmn_build *b, const xml_element *e, const char *name); /* trimmed */
/* An attribute in a vendor's namespace ("camunda", "flowable" or "orrery" in it). */
const char *dmn_vendor_attribute(dmn_build *b, const xml_element *e, const char *name);

/* ---- Problems: kept for the first model only ------------------------------------------------- */

/* Reports an error at `e`: the deployment fails. */
void dmn_error(dmn_build *b, const xml_element *e, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reports a warning at `e`. */
void dmn_warning(dmn_build *b, const xml_element *e, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reports either at a place within the element: lines and columns from 1. */
void dmn_problem(dmn_build *b, bool warning, const xml_element *e, int line, int column, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* ---- Passes ---------------------------------------------------------------------------------- */

void dmn_check_grammar(dmn_build *b, const xml_element *root); /* grammar.c */

/* read.c: the model of the resource, with those it imports behind it, each as often as ways lead to it. NULL: it is none. */
dmn_model *dmn_read(dmn_build *b, const char *resource, const dmn_model *importer, const char *name);

/* type.c */
/* Reads the model's item definitions, behind those of its imports; what is wrong is reported. */
void dmn_read_types(dmn_build *b, dmn_model *m);
/* The type that an attribute of `e` (may be NULL) names; NULL as above. */
const feel_type *dmn_type_of(dmn_build *b, dmn_model *m, const xml_element *e, const char *attribute);
/* Is every value of it? NULL is such a type. */
bool dmn_type_any(const feel_type *type);
/* A number by a name that only the peers' tools have: integer, double, … */
bool dmn_type_is_foreign_number(const char *name);
/* Needs a value of the one type no check to be of the other? */
bool dmn_type_fits(const feel_type *has, const feel_type *wanted);
/* Lua source that makes the type when the chunk is loaded; NULL gives Any. */
const char *dmn_type_lua(dmn_build *b, const feel_type *type);

/* ---- Compiled pieces ------------------------------------------------------------------------- */

typedef struct dmn_piece {
  const char *lua;       /* an expression */
  const feel_type *type; /* NULL: any */
  bool literal;          /* needs neither support nor names */
  const char *const *names; /* FEEL: what it reads */
  size_t n_names;
} dmn_piece;

/* The value, made to be of the type; the piece itself when it is already. */
dmn_piece dmn_coerced(dmn_build *b, dmn_piece piece, const feel_type *type);

/* text.c: the texts of <text> elements */
typedef struct dmn_text {
  const xml_element *element; /* that holds <text>; may be NULL */
  const xml_element *place;   /* <text> itself; NULL: none */
  const char *text;           /* never NULL */
  dmn_language language;
} dmn_text;
/* The text of an expression's element (may be NULL: empty) and its language; one that is not
 * known is reported. `entry`: a cell of a table, whose default language is another. */
dmn_text dmn_text_in(dmn_build *b, const xml_element *e, bool entry);
/* Is there nothing but white space? */
bool dmn_text_blank(const dmn_text *t);
/* Compiles it in its language; a blank text, and one with problems, which are reported, gives
 * null. */
dmn_piece dmn_compile_text(dmn_build *b, const dmn_text *t, const feel_scope *scope);
/* A test of the value in the local `input`: true when it holds. `type` as feel_request.input_type. */
dmn_piece dmn_compile_test(dmn_build *b, const dmn_text *t, const feel_scope *scope, const char *input, const feel_type *type);

/* boxed.c */
/* As one Lua expression; `e` may be NULL: null. */
dmn_piece dmn_boxed(dmn_build *b, const xml_element *e, const feel_scope *scope);
/* As the end of a function body: statements that return the value, made to be of the type. */
void dmn_boxed_body(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *type, dmn_out *out);
/* Reports a function, or a service, that takes more than there is room for. */
void dmn_check_parameters(dmn_build *b, const xml_element *e, uint32_t count);
/* A function with the formal parameters and the expression that stand in `e`. `self` (may be NULL) is known inside. */
dmn_piece dmn_function(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *result);

/* table.c: as dmn_boxed_body */
void dmn_table_body(dmn_build *b, const xml_element *e, const feel_scope *scope, const feel_type *type, dmn_out *out);

/* chunk.c: reads what it needs into b's outs, then writes the whole. */
void dmn_write_chunk(dmn_build *b, dmn_model *m, dmn_out *out);

#endif
