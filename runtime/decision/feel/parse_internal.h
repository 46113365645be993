/* The parser's inside: a recursive descent that resolves names as it meets them. Functions that
 * give a node give NULL when they failed; parser.rc then says how, and feel_scan_fail has said
 * where. */
#ifndef ORR_FEEL_PARSE_INTERNAL_H
#define ORR_FEEL_PARSE_INTERNAL_H

#include "decision/feel/scan.h"
#include "decision/feel/source.h"
#include "decision/feel/unit_internal.h"

/* A name that the text itself declares: a parameter, an iterator, an entry. */
typedef struct feel_binding feel_binding;
struct feel_binding {
  feel_binding *next;
  const char *name;
  const feel_type *type;
  const char *lua;
  feel_node *context; /* of an entry, or of `partial`: the construct, whose `refers` says that it is
                         read */
};

/* Names that a construct adds; the construct's function holds it on its stack. */
typedef struct feel_frame feel_frame;
struct feel_frame {
  feel_frame *outer;
  feel_binding *bindings;
  const char *item; /* of a filter: the local of the item; NULL for other constructs */
  const feel_type *item_type;
};

typedef struct feel_parser {
  feel_scan scan;
  feel_unit *unit;
  const feel_request *request;
  feel_parsed *out;
  feel_frame *frames;
  const char *input; /* what `?` is; NULL: there is none */
  const feel_type *input_type;
  int depth;
  int rc;
  bool in_range_end; /* a "[" may close the range */
  bool asked;        /* a `?` was read since the caller of feel_parse_test looked */
} feel_parser;

/* parse.c */
/* A whole expression. NULL: p->rc. */
feel_node *feel_parse_expression(feel_parser *p);
/* An operand of a comparison: sums, products and all that binds more closely. NULL: p->rc. */
feel_node *feel_parse_sum(feel_parser *p);
/* Tests separated by commas, of a cell or behind `in (`; an N_TESTS. */
feel_node *feel_parse_tests(feel_parser *p);
/* A node at a place of the text, of type Any, in the arena. NULL: p->rc is ORR_E_MEMORY. */
feel_node *feel_parse_new(feel_parser *p, feel_node_kind kind, size_t at);
/* Sets p->rc; always NULL, so that a parser returns it. */
feel_node *feel_parse_out_of_memory(feel_parser *p);
/* The same for text that does not fit here: "… expected". */
feel_node *feel_parse_expected(feel_parser *p, const char *expected);
/* The same with a reason, at a place of the text. */
feel_node *feel_parse_fail(feel_parser *p, size_t at, const char *reason);
/* Steps over the sign; false with p->rc, which names `expected`, when another stands here. */
bool feel_parse_sign(feel_parser *p, feel_sign sign, const char *expected);
/* The same with a keyword. */
bool feel_parse_word(feel_parser *p, const char *word);
/* A name for a Lua local that the chunk has not used. NULL: p->rc. */
const char *feel_parse_local(feel_parser *p);
/* One level deeper, if there may be one; the caller takes it back from `depth`. */
bool feel_parse_enter(feel_parser *p);

/* operand.c: a literal, name, bracketed expression or construct, with what follows it: paths,
 * filters, calls. */
feel_node *feel_parse_postfix(feel_parser *p);
/* What may follow an operand that was read. */
feel_node *feel_parse_follow(feel_parser *p, feel_node *node);
/* "(" was taken: one expression or test, a range, or where `many` several tests, as an N_TESTS. */
feel_node *feel_parse_group(feel_parser *p, size_t at, bool many);

/* construct.c: for, some, every, if, function. */
feel_node *feel_parse_construct(feel_parser *p);
/* Does one of them begin here? */
bool feel_parse_at_construct(const feel_parser *p);

/* name.c */
/* Names that are bound from now on are seen until frame_pop. The frame is the caller's. */
void frame_push(feel_parser *p, feel_frame *frame);
/* Names of the innermost frame are not seen any more. */
void frame_pop(feel_parser *p);
/* Adds a name to the innermost frame; false: no memory, and said so. */
bool frame_bind(feel_parser *p, const char *name, const feel_type *type, const char *lua,
                feel_node *context);
/* The name that begins here, with what it is. */
feel_node *feel_parse_name(feel_parser *p);
/* Is there a name in scope that begins here and goes on behind its first word? */
bool feel_parse_at_declared_name(const feel_parser *p);
/* The name of a member of a value of that type, behind its dot; NULL: failed. */
const char *feel_parse_member_name(feel_parser *p, const feel_type *type);
/* The type of that member, as far as it is known. */
const feel_type *member_type(feel_parser *p, const feel_type *type, const char *name);
/* A declared name up to `end`, or the quoted one that is next; NULL: failed. */
const char *feel_parse_declared(feel_parser *p, size_t end);
/* A type as behind `instance of`. */
const feel_type *feel_parse_type(feel_parser *p);

/* builtin.c */
typedef struct feel_builtin {
  const char *name; /* as the library has it; NULL: there is none */
  size_t end;
  const feel_type *gives;
  bool camunda; /* Camunda's FEEL alone has it */
} feel_builtin;
/* The built-in function whose name stands at `at`, the longest one. */
feel_builtin feel_builtin_at(const feel_scan *s, size_t at);

#endif
