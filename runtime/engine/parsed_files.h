/* Files of several processes that were parsed: with the graph that was asked for come those of all
 * the others, which are mostly asked for next. */
#ifndef ORR_PARSED_FILES_H
#define ORR_PARSED_FILES_H

#include "model/parse/parse.h"
#include "uow/uow.h"

typedef struct parsed_files parsed_files;

/* Any thread. NULL when memory is out. */
parsed_files *parsed_files_new(const orr_allocator *allocator);
/* Graphs that somebody still holds live on until they are released. NULL is fine. */
void parsed_files_free(parsed_files *files);

/* The graph of a definition, for the caller to release: *out is NULL when its file is not kept. 0
 * or ORR_E_MEMORY. */
int parsed_files_get(parsed_files *files, const rec_definition *r, definition **out);
/* Takes over what parsing the file of `r`, a text of so many bytes, has given. *out is as above:
 * NULL when the file does not hold the process. What cannot be kept for want of memory will be
 * parsed again. 0 or ORR_E_MEMORY. */
int parsed_files_keep(parsed_files *files, const rec_definition *r, const model *m,
                      size_t text_size, definition **out);
/* Forgets the files of a deployment that is deleted. Any thread. */
void parsed_files_drop(parsed_files *files, orr_id deployment);

/* Sets id, version, deployment and tenant in a graph that was just parsed. 0 or ORR_E_MEMORY. */
int definition_bind(definition *d, const rec_definition *r);

#endif
