/* What went wrong, in one block each for message, traceback and details. Errors come from every room, also from where no
 * engine is at hand, so they use malloc and not an engine's allocator; an error that cannot be written down keeps its
 * code. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/limits.h"
#include "base/value.h"

const char *orr_strerror(int code) {
  switch (code) {
#define ORR_X(name, number, kind, text) \
  case number: return text;
    ORR_ERROR_MAP(ORR_X)
#undef ORR_X
    case 0: return "no error";
    default: return "unknown error";
  }
}

const char *orr_error_kind(int code) {
  switch (code) {
#define ORR_X(name, number, kind, text) \
  case number: return kind;
    ORR_ERROR_MAP(ORR_X)
#undef ORR_X
    case 0: return "none";
    default: return "unknown";
  }
}

bool error_known(int code) {
  switch (code) {
#define ORR_X(name, number, kind, text) \
  case number: return true;
    ORR_ERROR_MAP(ORR_X)
#undef ORR_X
    default: return false;
  }
}

static void free_text(char *text) {
  if (text) env_free(NULL, text, strlen(text) + 1);
}

static void free_details(orr_value *details) {
  if (details) env_free(NULL, details, sizeof *details + details->size);
}

void orr_error_clear(orr_error *err) {
  if (!err) return;
  free_text(err->message);
  free_text(err->traceback);
  free_details(err->details);
  *err = (orr_error){0};
}

/* Cuts a message that was too long before the character that did not fit, so that it stays UTF-8. */
static void cut_at_character(char *text, size_t size) {
  size_t start = size;
  while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80) start--;
  if (start == 0) return;
  unsigned char lead = (unsigned char)text[start - 1];
  size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  if (size - start + 1 < needed) text[start - 1] = '\0';
}

static char *format_message(const char *format, va_list args) {
  char text[ORR_ERROR_MESSAGE_MAX + 1];
  int size = vsnprintf(text, sizeof text, format, args);
  if (size < 0) return NULL;
  if ((size_t)size >= sizeof text) cut_at_character(text, sizeof text - 1);
  return env_strdup(NULL, text);
}

int error_set_at(orr_error *err, int code, const char *file, int line, const char *format, ...) {
  if (!err) return code;
  /* The arguments may point into the error that is being replaced: format first. */
  va_list args;
  va_start(args, format);
  char *message = format_message(format, args);
  va_end(args);
  orr_error_clear(err);
  *err = (orr_error){.code = code, .file = file, .line = line, .message = message};
  return code;
}

int orr_error_set(orr_error *err, int code, const char *format, ...) {
  if (!error_known(code)) code = ORR_E_SCRIPT;
  if (!err) return code;
  va_list args;
  va_start(args, format);
  /* The arguments may be texts of the error that goes. */
  char *message = format ? format_message(format, args) : NULL;
  va_end(args);
  orr_error_clear(err);
  *err = (orr_error){.code = code, .message = message};
  return code;
}

static char *join_message(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *message = format_message(format, args);
  va_end(args);
  return message;
}

int error_wrap(orr_error *err, const char *format, ...) {
  if (!err) return ORR_E_STATE;
  va_list args;
  va_start(args, format);
  char *context = format_message(format, args);
  va_end(args);
  if (!context) return err->code; /* the message without its context is better than none */
  char *message = join_message("%s: %s", context, err->message ? err->message : orr_strerror(err->code));
  free_text(context);
  if (!message) return err->code;
  free_text(err->message);
  err->message = message;
  return err->code;
}

static uint8_t *put_entry(uint8_t *out, const char *key, size_t key_size, const orr_value *value) {
  out = varint_put(out, key_size);
  memcpy(out, key, key_size);
  return value_encode(out + key_size, value);
}

static uint8_t *put_old_entry(uint8_t *out, const orr_value *key, const orr_value *value) {
  return put_entry(out, key->as.bytes, key->size, value);
}

/* Copies the map `old` (may be NULL) with `name` set to `value`, keys ascending. */
static uint8_t *put_details(uint8_t *out, const orr_value *old, const char *name, const orr_value *value) {
  size_t name_size = strlen(name);
  bool placed = false;
  orr_value key, item;
  orr_iterator iterator = old ? orr_iterate(old) : (orr_iterator){0};
  while (orr_next(&iterator, &key, &item)) {
    int order = key_compare(key.as.bytes, key.size, name, name_size);
    if (order >= 0 && !placed) {
      out = put_entry(out, name, name_size, value);
      placed = true;
    }
    if (order != 0) out = put_old_entry(out, &key, &item);
  }
  return placed ? out : put_entry(out, name, name_size, value);
}

int error_detail(orr_error *err, const char *name, const orr_value *value) {
  if (!err) return 0;
  size_t name_size = strlen(name);
  size_t room = varint_size(name_size) + name_size + value_encoded_size(value);
  if (err->details) room += err->details->size;
  if (room > ORR_VALUE_BYTES_MAX) return ORR_E_MEMORY;
  uint8_t *scratch = env_alloc(NULL, room);
  if (!scratch) return ORR_E_MEMORY;
  size_t size = (size_t)(put_details(scratch, err->details, name, value) - scratch);
  orr_value *details = env_alloc(NULL, sizeof *details + size);
  if (details) {
    char *bytes = (char *)(details + 1);
    memcpy(bytes, scratch, size);
    *details = (orr_value){.type = ORR_MAP, .size = (uint32_t)size, .as.bytes = bytes};
    free_details(err->details);
    err->details = details;
  }
  env_free(NULL, scratch, room);
  return details ? 0 : ORR_E_MEMORY;
}

int error_mark(orr_error *err, const char *name) {
  orr_value yes = orr_bool(true);
  if (!err) return ORR_E_STATE;
  (void)error_detail(err, name, &yes);
  return err->code;
}

bool error_marked(const orr_error *err, const char *name) {
  orr_value at = err && err->details ? *err->details : (orr_value){0};
  for (; at.type == ORR_MAP; at = orr_map_get(&at, "cause")) {
    orr_value mark = orr_map_get(&at, name);
    if (mark.type == ORR_BOOL && mark.as.boolean) return true;
  }
  return false;
}

static void copy_details(orr_error *to, const orr_value *details) {
  orr_value key, item;
  orr_iterator it = orr_iterate(details);
  while (orr_next(&it, &key, &item)) {
    char *name = env_alloc(NULL, key.size + 1);
    if (!name) return;
    memcpy(name, key.as.bytes, key.size);
    name[key.size] = '\0';
    (void)error_detail(to, name, &item);
    env_free(NULL, name, key.size + 1);
  }
}

int error_copy(orr_error *to, const orr_error *from) {
  if (!to) return from->code;
  orr_error_clear(to);
  *to = (orr_error){.code = from->code, .line = from->line, .file = from->file};
  if (from->message) to->message = env_strdup(NULL, from->message);
  if (from->traceback) to->traceback = env_strdup(NULL, from->traceback);
  if (from->details) copy_details(to, from->details);
  return to->code;
}

void error_traceback(orr_error *err, const char *text) {
  if (!err) return;
  free_text(err->traceback);
  err->traceback = text ? env_strdup(NULL, text) : NULL;
}

void error_move(orr_error *to, orr_error *from) {
  if (to == from) return;
  orr_error_clear(to);
  if (!from) return;
  if (!to) {
    orr_error_clear(from);
    return;
  }
  *to = *from;
  *from = (orr_error){0};
}
