/* One pass over the text that enforces the limits before a parser sees it. See xml.h.
 *
 * It need not judge well-formedness: where a construct has no end it stops, and libxml2 says what is wrong. It must only never
 * count less than libxml2 would read. */
#include "model/xml/scan.h"

#include <string.h>

#include "base/limits.h"
#include "model/xml/text.h"
#include "model/xml/xml.h"

typedef struct scan {
  orr_arena *arena;
  const char *text, *at;
  uint32_t *offsets;
  uint32_t count, capacity;
  uint32_t depth;
  size_t text_bytes; /* character data since the last tag */
  xml_fault *fault;
} scan;

static int too_much(const scan *s, const char *at, const char *what, size_t found, size_t limit) {
  return xml_fault_at(s->arena, s->text, (size_t)(at - s->text), s->fault, "%s: %zu, but the limit is %zu", what, found, limit);
}

static bool scan_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static int note_tag(scan *s) {
  if (s->count >= ORR_XML_ELEMENTS_MAX)
    return too_much(s, s->at, "too many elements", (size_t)s->count + 1, ORR_XML_ELEMENTS_MAX);
  if (!ARENA_ROOM(s->arena, s->offsets, s->count, s->capacity, 256)) return ORR_E_MEMORY;
  s->offsets[s->count++] = (uint32_t)(s->at - s->text);
  return 0;
}

/* Behind one attribute (or whatever stands there); its size is checked. */
static int scan_attribute(scan *s, const char **cursor) {
  const char *p = *cursor, *start = p;
  while (*p && *p != '>' && *p != '"' && *p != '\'' && !scan_is_space(*p)) p++;
  if (*p == '"' || *p == '\'') {
    const char *end = strchr(p + 1, *p);
    if (!end) {
      *cursor = p + strlen(p);
      return 0;
    }
    size_t size = (size_t)(end - p - 1);
    if (size > ORR_XML_ATTRIBUTE_BYTES_MAX)
      return too_much(s, start, "an attribute has too many bytes", size, ORR_XML_ATTRIBUTE_BYTES_MAX);
    p = end + 1;
  }
  *cursor = p;
  return 0;
}

static int scan_start_tag(scan *s) {
  const char *start = s->at;
  int rc = note_tag(s);
  if (rc) return rc;
  if (s->depth + 1 > ORR_XML_DEPTH_MAX)
    return too_much(s, start, "elements are nested too deep", (size_t)s->depth + 1, ORR_XML_DEPTH_MAX);
  const char *p = start + 1;
  while (*p && !scan_is_space(*p) && *p != '>' && *p != '/') p++;
  size_t n = 0;
  while (*p && *p != '>') {
    if (scan_is_space(*p) || (*p == '/' && p[1] == '>')) {
      p++;
      continue;
    }
    const char *before = p;
    if ((rc = scan_attribute(s, &p))) return rc;
    if (p == before) p++;
    /* `a = "b"` comes as several pieces; only a piece with quotes is an attribute, and quotes never come alone */
    if (p > before && (p[-1] == '"' || p[-1] == '\'') && ++n > ORR_XML_ATTRIBUTES_MAX)
      return too_much(s, start, "an element has too many attributes", n, ORR_XML_ATTRIBUTES_MAX);
  }
  if (*p == '>') {
    if (p[-1] != '/') s->depth++;
    p++;
  }
  s->at = p;
  return 0;
}

/* Jumps behind `end`, or to the end of the text. */
static const char *behind(const char *from, const char *end) {
  const char *found = strstr(from, end);
  return found ? found + strlen(end) : from + strlen(from);
}

static int scan_markup(scan *s) {
  const char *p = s->at;
  if (strncmp(p, "<!--", 4) == 0) {
    s->at = behind(p + 4, "-->");
  } else if (strncmp(p, "<![CDATA[", 9) == 0) {
    s->at = behind(p + 9, "]]>");
    s->text_bytes += (size_t)(s->at - p);
    if (s->text_bytes > ORR_XML_TEXT_BYTES_MAX)
      return too_much(s, p, "a text has too many bytes", s->text_bytes, ORR_XML_TEXT_BYTES_MAX);
  } else if (p[1] == '!') {
    return xml_fault_at(s->arena, s->text, (size_t)(p - s->text), s->fault,
                        "a document type declaration (DOCTYPE) is never accepted; remove it");
  } else if (p[1] == '?') {
    s->at = behind(p + 2, "?>");
  } else if (p[1] == '/') {
    if (s->depth > 0) s->depth--;
    s->at = behind(p + 2, ">");
    s->text_bytes = 0;
  } else {
    s->text_bytes = 0;
    return scan_start_tag(s);
  }
  return 0;
}

int xml_scan(orr_arena *arena, const xml_text *text, xml_tags *out, xml_fault *fault) {
  scan s = {.arena = arena, .text = text->bytes, .at = text->bytes, .fault = fault};
  while (*s.at) {
    const char *open = strchr(s.at, '<');
    size_t run = open ? (size_t)(open - s.at) : strlen(s.at);
    s.text_bytes += run;
    if (s.text_bytes > ORR_XML_TEXT_BYTES_MAX)
      return too_much(&s, s.at, "a text has too many bytes", s.text_bytes, ORR_XML_TEXT_BYTES_MAX);
    s.at += run;
    if (!open) break;
    int rc = scan_markup(&s);
    if (rc) return rc;
  }
  *out = (xml_tags){s.offsets, s.count};
  return 0;
}
