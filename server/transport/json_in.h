/* Bodies in JSON: read within bounds into jansson's trees, and turned into the engine's values. */
#ifndef SERVER_JSON_IN_H
#define SERVER_JSON_IN_H

#include <jansson.h>

#include "orrery.h"

/* Reads a whole text, which nests no deeper than a value may. On failure NULL, and `problem` says
 * what and where, or is empty: memory is out. The caller decrefs. An integer beyond 64 bits is a text of a zero byte and its
 * digits (scalar_wide in scalars.h); a client's text that is the same is taken for one. */
json_t *body_parse(const char *text, size_t size, char *problem, size_t problem_size);
/* Adds a JSON value as the engine's: objects are maps, arrays arrays; an integer beyond 64 bits
 * is the nearest float. False: out of memory. */
bool body_to_value(const json_t *json, orr_builder *out);

#endif
