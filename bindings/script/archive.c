/* Archives, read by libzip, which is loaded when the first one comes. */
#include "bindings/script/archive.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <string.h>
#include <zip.h>

#include "base/library.h"
#include "base/limits.h"

#define ZIP_FUNCTIONS(F) \
  F(zip_discard) F(zip_error_fini) F(zip_error_init) F(zip_error_strerror) F(zip_fclose) F(zip_fopen_index) \
  F(zip_fread) F(zip_get_num_entries) F(zip_open_from_source) F(zip_source_buffer_create) F(zip_source_free) \
  F(zip_stat_index)

#define FIELD(name) __typeof__(name) *name;
typedef struct zip_functions { ZIP_FUNCTIONS(FIELD) } zip_functions;
#undef FIELD

static zip_functions zips;

static int load_libzip(orr_error *err) {
#define NAME(name) #name,
  static const char *const names[] = {ZIP_FUNCTIONS(NAME) NULL};
#undef NAME
  static library libzip = {"libzip.so.4", names, &zips, NULL, false};
  return library_load(&libzip, err);
}

/* What a reading has open; a userdata, so that an error of Lua's closes it as well. */
typedef struct reading {
  zip_t *archive;
  zip_file_t *file;
  uint64_t bytes; /* so far */
} reading;

static int reading_close(lua_State *L) {
  reading *r = lua_touserdata(L, 1);
  if (r->file) zips.zip_fclose(r->file);
  if (r->archive) zips.zip_discard(r->archive);
  *r = (reading){0};
  return 0;
}

static reading *new_reading(lua_State *L) {
  reading *r = lua_newuserdatauv(L, sizeof *r, 0);
  *r = (reading){0};
  if (luaL_newmetatable(L, "orrery.archive")) {
    lua_pushcfunction(L, reading_close);
    lua_setfield(L, -2, "__gc");
    lua_pushcfunction(L, reading_close);
    lua_setfield(L, -2, "__close");
  }
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  return r;
}

/* NULL: a message is on top. */
static zip_t *open_archive(lua_State *L, const char *bytes, size_t size) {
  zip_error_t error;
  zips.zip_error_init(&error);
  zip_source_t *source = zips.zip_source_buffer_create(bytes, size, 0, &error);
  zip_t *archive = source ? zips.zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error) : NULL;
  if (!archive) lua_pushfstring(L, "this is no archive: %s", zips.zip_error_strerror(&error));
  if (!archive && source) zips.zip_source_free(source);
  zips.zip_error_fini(&error);
  return archive;
}

/* Folders end in a slash; tools of one system leave hidden files and a folder of their own behind. */
static bool is_left_out(const char *name) {
  size_t size = strlen(name);
  const char *last = strrchr(name, '/');
  return size == 0 || name[size - 1] == '/' || (last ? last[1] : name[0]) == '.' || strncmp(name, "__MACOSX/", 9) == 0;
}

static const char *read_bytes(lua_State *L, reading *r, const zip_stat_t *entry) {
  luaL_Buffer out;
  char *to = luaL_buffinitsize(L, &out, (size_t)entry->size);
  zip_int64_t got = zips.zip_fread(r->file, to, entry->size);
  char beyond;
  bool whole = got == (zip_int64_t)entry->size && zips.zip_fread(r->file, &beyond, 1) == 0;
  luaL_pushresultsize(&out, got > 0 ? (size_t)got : 0);
  return whole ? NULL : lua_pushfstring(L, "%s cannot be read: it is damaged, or encrypted", entry->name);
}

/* Puts one file into the table at index 3; NULL, or what is wrong with it. */
static const char *read_entry(lua_State *L, reading *r, uint64_t index) {
  zip_stat_t entry;
  if (zips.zip_stat_index(r->archive, index, 0, &entry) || !(entry.valid & ZIP_STAT_NAME) || !(entry.valid & ZIP_STAT_SIZE))
    return lua_pushfstring(L, "its entry %d is damaged", (int)index);
  if (is_left_out(entry.name)) return NULL;
  r->bytes += entry.size;
  if (entry.size > ORR_VALUE_BYTES_MAX || r->bytes > ORR_ARCHIVE_BYTES_MAX)
    return lua_pushfstring(L, "%s is too large: a resource has at most %d bytes, an archive %d", entry.name,
                           ORR_VALUE_BYTES_MAX, ORR_ARCHIVE_BYTES_MAX);
  r->file = zips.zip_fopen_index(r->archive, index, 0);
  if (!r->file) return lua_pushfstring(L, "%s cannot be read: it is damaged, or encrypted", entry.name);
  const char *problem = read_bytes(L, r, &entry);
  zips.zip_fclose(r->file);
  r->file = NULL;
  if (!problem) lua_setfield(L, 3, entry.name);
  return problem;
}

static int refuse_archive(lua_State *L) {
  lua_pushnil(L);
  lua_insert(L, -2);
  return 2;
}

int archive_files(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  orr_error err = {0};
  lua_settop(L, 1);
  if (load_libzip(&err)) {
    lua_pushstring(L, err.message ? err.message : "libzip cannot be loaded");
    orr_error_clear(&err);
    return refuse_archive(L);
  }
  reading *r = new_reading(L);
  lua_newtable(L);
  if (!(r->archive = open_archive(L, bytes, size))) return refuse_archive(L);
  zip_int64_t n = zips.zip_get_num_entries(r->archive, 0);
  if (n > ORR_ARCHIVE_FILES_MAX) {
    lua_pushfstring(L, "it holds %d files; an archive of resources has at most %d", (int)n, ORR_ARCHIVE_FILES_MAX);
    return refuse_archive(L);
  }
  for (zip_int64_t i = 0; i < n; i++)
    if (read_entry(L, r, (uint64_t)i)) return refuse_archive(L);
  lua_settop(L, 3);
  return 1;
}
