/* Bytes to UTF-8 text: what the bytes are, and the five encodings that models come in. See xml.h. */
#include "model/xml/text.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "model/xml/xml.h"

#define ENCODINGS "UTF-8, UTF-16, ISO-8859-1, WINDOWS-1252 and US-ASCII"

enum encoding { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_LATIN1, ENCODING_WINDOWS1252, ENCODING_ASCII };

void xml_cursor_move(xml_cursor *cursor, size_t offset) {
  for (; cursor->at < offset && cursor->text[cursor->at]; cursor->at++) {
    unsigned char c = (unsigned char)cursor->text[cursor->at];
    if (c == '\n') {
      cursor->line++;
      cursor->column = 1;
    } else if ((c & 0xC0) != 0x80) { /* the first byte of a character */
      cursor->column++;
    }
  }
}

int xml_fault_at(orr_arena *arena, const char *text, size_t offset, xml_fault *fault, const char *format, ...) {
  xml_cursor cursor = xml_cursor_at_start(text);
  xml_cursor_move(&cursor, offset);
  va_list args;
  va_start(args, format);
  fault->message = arena_vprintf(arena, format, args);
  va_end(args);
  fault->line = cursor.line;
  fault->column = cursor.column;
  return fault->message ? ORR_E_DEPLOYMENT : ORR_E_MEMORY;
}

/* ---- What it looks like ---------------------------------------------------------------------- */

static bool starts_with(const char *bytes, size_t size, const char *start) {
  size_t n = strlen(start);
  return size >= n && memcmp(bytes, start, n) == 0;
}

static bool starts_with_word(const char *bytes, size_t size, const char *word) {
  size_t n = strlen(word);
  return size >= n && strncasecmp(bytes, word, n) == 0;
}

/* NULL when the first bytes could be XML. */
static const char *looks_like(const char *bytes, size_t size) {
  static const struct { const char *start, *what; } MAGIC[] = {
    {"PK\x03\x04", "a ZIP archive"}, {"\x89PNG", "a PNG image"},   {"GIF8", "a GIF image"},
        {"\xFF\xD8\xFF", "a JPEG image"},
    {"%PDF", "a PDF document"},      {"\x1F\x8B", "gzip data"},    {"\x7F" "ELF", "a program"},    {"\x1BLua", "Lua bytecode"},
    {"{", "JSON"},                   {"[", "JSON"},                {"#!", "a script"},             {"+ADw", "UTF-7 text"},
    {"--", "Lua or SQL text"},       {"%!PS", "PostScript"},
  };
  for (size_t i = 0; i < sizeof MAGIC / sizeof *MAGIC; i++)
    if (starts_with(bytes, size, MAGIC[i].start)) return MAGIC[i].what;
  if (starts_with_word(bytes, size, "<!doctype html") || starts_with_word(bytes, size, "<html")) return "HTML";
  return size > 0 && bytes[0] != '<' ? "plain text" : NULL;
}

/* ---- Encodings ------------------------------------------------------------------------------- */

/* The name in <?xml … encoding="name"?>, of a text whose markup is ASCII; empty when it has none. */
static void declared_encoding(const char *text, size_t size, char name[32]) {
  name[0] = '\0';
  if (!starts_with(text, size, "<?xml")) return;
  const char *end = memchr(text, '>', size);
  if (!end) return;
  const char *at = memmem(text, (size_t)(end - text), "encoding", 8);
  if (!at) return;
  at += 8;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || *at == '=')) at++;
  if (at >= end || (*at != '"' && *at != '\'')) return;
  const char *stop = memchr(at + 1, *at, (size_t)(end - at - 1));
  size_t n = stop ? (size_t)(stop - at - 1) : 0;
  if (n == 0 || n >= 32) n = n ? 31 : 0;
  memcpy(name, at + 1, n);
  name[n] = '\0';
}

static int find_encoding(orr_arena *arena, const char *bytes, size_t size, enum encoding *out, size_t *skip, xml_fault *fault) {
  static const struct { const char *name; enum encoding encoding; } KNOWN[] = {
    {"utf-8", ENCODING_UTF8},          {"utf8", ENCODING_UTF8},         {"iso-8859-1", ENCODING_LATIN1},
    {"latin1", ENCODING_LATIN1},       {"us-ascii", ENCODING_ASCII},    {"ascii", ENCODING_ASCII},
    {"windows-1252", ENCODING_WINDOWS1252}, {"cp1252", ENCODING_WINDOWS1252},
  };
  static const struct { const char *start; size_t size; int encoding; size_t skip; } MARKS[] = {
    {"\xFF\xFE\0\0", 4, -1, 0},           {"\0\0\xFE\xFF", 4, -1, 0},         {"\xEF\xBB\xBF", 3, ENCODING_UTF8, 3},
    {"\xFF\xFE", 2, ENCODING_UTF16LE, 2}, {"\xFE\xFF", 2, ENCODING_UTF16BE, 2}, {"<\0?\0", 4, ENCODING_UTF16LE, 0},
    {"\0<\0?", 4, ENCODING_UTF16BE, 0},
  };
  *skip = 0;
  *out = ENCODING_UTF8;
  for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++) {
    if (size < MARKS[i].size || memcmp(bytes, MARKS[i].start, MARKS[i].size) != 0) continue;
    if (MARKS[i].encoding < 0) return xml_fault_at(arena, "", 0, fault, "the text is in UTF-32; accepted are " ENCODINGS);
    *out = (enum encoding)MARKS[i].encoding;
    *skip = MARKS[i].skip;
    return 0;
  }
  char name[32];
  declared_encoding(bytes, size, name);
  if (!name[0]) return 0;
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
    if (strcasecmp(name, KNOWN[i].name) != 0) continue;
    *out = KNOWN[i].encoding;
    return 0;
  }
  if (strncasecmp(name, "utf-16", 6) == 0)
    return xml_fault_at(arena, "", 0, fault,
                        "the text declares encoding \"%s\" but its bytes are not UTF-16; declare the encoding it is in", name);
  return xml_fault_at(arena, "", 0, fault, "encoding \"%s\" is not accepted; save the file in one of %s", name, ENCODINGS);
}

/* ---- Conversion ------------------------------------------------------------------------------ */

static size_t put_utf8(char *out, uint32_t c) {
  if (c < 0x80) {
    out[0] = (char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (char)(0xC0 | (c >> 6));
    out[1] = (char)(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (char)(0xE0 | (c >> 12));
    out[1] = (char)(0x80 | ((c >> 6) & 0x3F));
    out[2] = (char)(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | (c >> 18));
  out[1] = (char)(0x80 | ((c >> 12) & 0x3F));
  out[2] = (char)(0x80 | ((c >> 6) & 0x3F));
  out[3] = (char)(0x80 | (c & 0x3F));
  return 4;
}

static uint32_t utf16_unit(const unsigned char *at, bool big) {
  return big ? (uint32_t)(at[0] << 8 | at[1]) : (uint32_t)(at[1] << 8 | at[0]);
}

static int from_utf16(orr_arena *arena, const unsigned char *bytes, size_t size, bool big, xml_text *out, xml_fault *fault) {
  char *text = arena_alloc(arena, size / 2 * 3 + 1);
  if (!text) return ORR_E_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < size; i += 2) {
    text[n] = '\0';
    if (i + 1 >= size) return xml_fault_at(arena, text, n, fault, "the UTF-16 text ends within a character, at byte %zu", i);
    uint32_t c = utf16_unit(bytes + i, big);
    if (c >= 0xD800 && c < 0xE000) {
      uint32_t low = i + 3 < size ? utf16_unit(bytes + i + 2, big) : 0;
      if (c >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return xml_fault_at(arena, text, n, fault, "byte %zu begins half a UTF-16 character", i);
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      i += 2;
    }
    n += put_utf8(text + n, c);
  }
  text[n] = '\0';
  *out = (xml_text){text, n};
  return 0;
}

/* Windows-1252 differs from Latin-1 in 0x80..0x9F; 0 is a byte that it does not use. */
static const uint16_t WINDOWS1252[32] = {
  0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
  0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

static int from_bytes(orr_arena *arena, const unsigned char *bytes, size_t size, enum encoding encoding, xml_text *out,
                      xml_fault *fault) {
  char *text = arena_alloc(arena, size * 3 + 1);
  if (!text) return ORR_E_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < size; i++) {
    uint32_t c = bytes[i];
    bool bad = encoding == ENCODING_ASCII && c >= 0x80;
    if (encoding == ENCODING_WINDOWS1252 && c >= 0x80 && c < 0xA0) {
      c = WINDOWS1252[c - 0x80];
      bad = c == 0;
    }
    if (bad) {
      text[n] = '\0';
      return xml_fault_at(arena, text, n, fault, "byte %zu (0x%02X) is no character of the encoding that the text declares", i,
                          bytes[i]);
    }
    n += put_utf8(text + n, c);
  }
  text[n] = '\0';
  *out = (xml_text){text, n};
  return 0;
}

/* The length of the character at `at`, or 0 when it is not UTF-8: shortest forms only, no surrogates, up to U+10FFFF. */
static size_t utf8_length(const unsigned char *at, size_t left) {
  if (at[0] < 0x80) return 1;
  size_t n = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
  if (at[0] < 0xC2 || at[0] > 0xF4 || left < n) return 0;
  for (size_t i = 1; i < n; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F)) return 0;
  if ((at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F)) return 0;
  return n;
}

static int from_utf8(orr_arena *arena, const char *bytes, size_t size, xml_text *out, xml_fault *fault) {
  char *text = arena_strndup(arena, bytes, size);
  if (!text) return ORR_E_MEMORY;
  for (size_t i = 0; i < size;) {
    size_t n = utf8_length((const unsigned char *)bytes + i, size - i);
    if (n == 0) {
      text[i] = '\0';
      return xml_fault_at(arena, text, i, fault,
                          "byte %zu (0x%02X) is not UTF-8; save the file as UTF-8 or declare its encoding", i,
                          (unsigned)(unsigned char)bytes[i]);
    }
    i += n;
  }
  *out = (xml_text){text, size};
  return 0;
}

int xml_text_decode(orr_arena *arena, const void *input, size_t size, xml_text *out, xml_fault *fault) {
  const char *bytes = input;
  if (size > ORR_XML_BYTES_MAX)
    return xml_fault_at(arena, "", 0, fault, "the document has %zu bytes; the limit is %d", size, ORR_XML_BYTES_MAX);
  size_t blank = 0;
  while (blank < size && memchr(" \t\r\n", bytes[blank], 4)) blank++;
  if (blank == size) return xml_fault_at(arena, "", 0, fault, "the document is empty; expected BPMN 2.0 XML");
  enum encoding encoding = ENCODING_UTF8;
  size_t skip = 0;
  int rc = find_encoding(arena, bytes, size, &encoding, &skip, fault);
  if (rc) return rc;
  bytes += skip;
  size -= skip;
  bool wide = encoding == ENCODING_UTF16LE || encoding == ENCODING_UTF16BE;
  const char *what = wide ? NULL : looks_like(bytes + (skip ? 0 : blank), size - (skip ? 0 : blank));
  if (what) return xml_fault_at(arena, "", 0, fault, "this is not XML: it looks like %s; expected BPMN 2.0 XML", what);
  switch (encoding) {
    case ENCODING_UTF8: rc = from_utf8(arena, bytes, size, out, fault); break;
    case ENCODING_UTF16LE: rc = from_utf16(arena, (const unsigned char *)bytes, size, false, out, fault); break;
    case ENCODING_UTF16BE: rc = from_utf16(arena, (const unsigned char *)bytes, size, true, out, fault); break;
    default: rc = from_bytes(arena, (const unsigned char *)bytes, size, encoding, out, fault); break;
  }
  if (rc) return rc;
  const char *nul = memchr(out->bytes, '\0', out->size);
  if (nul) {
    size_t offset = (size_t)(nul - out->bytes);
    return xml_fault_at(arena, out->bytes, offset, fault, "byte %zu is NUL, which XML does not allow", offset + skip);
  }
  return 0;
}
