/* Archives of resources: the .zip and .bar files that other engines' tools make. */
#ifndef ORRL_ARCHIVE_H
#define ORRL_ARCHIVE_H

#include <lua.h>

/* archive(bytes) -> a table of names to bytes: the files in it, folders and hidden files left out. nil and a message:
 * the bytes are no archive, or it holds more than ORR_ARCHIVE_FILES_MAX files or ORR_ARCHIVE_BYTES_MAX bytes. */
int archive_files(lua_State *L);

#endif
