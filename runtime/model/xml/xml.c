/* libxml2's SAX2 parser over a text that the gates have passed, building the tree. See xml.h. */
#include "model/xml/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

#include "model/dialect.h"
#include "model/xml/scan.h"
#include "model/xml/text.h"

typedef struct builder {
  orr_arena *arena;
  const char *text;
  const xml_tags *tags;
  uint32_t tag; /* the next start tag's number */
  xml_cursor cursor;
  xml_element *root, *open;
  xmlParserCtxtPtr parser;
  xml_fault *fault;
  int code; /* the first failure; our own flag, for a stopped parser calls its document well-formed */
} builder;

static void stop(builder *b, int code) {
  if (b->code) return;
  b->code = code;
  if (b->parser) xmlStopParser(b->parser);
}

/* libxml2 hands '&' in attribute values on as "&#38;", for a second round of decoding that a SAX user has to do. */
static char *attribute_value(builder *b, const xmlChar *begin, const xmlChar *end) {
  char *value = arena_strndup(b->arena, (const char *)begin, (size_t)(end - begin));
  if (!value) return NULL;
  char *out = value;
  for (const char *in = value; *in;) {
    if (strncmp(in, "&#38;", 5) == 0) {
      *out++ = '&';
      in += 5;
    } else {
      *out++ = *in++;
    }
  }
  *out = '\0';
  return value;
}

static bool xml_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/* Moves over one start tag of the text, from attribute to attribute: where libxml2 keeps no places, the text still has them. */
static const char *next_attribute(const char *p) {
  while (xml_is_space(*p)) p++;
  return *p && *p != '>' && *p != '/' ? p : NULL;
}

static const char *behind_attribute(const char *p) {
  while (*p && *p != '"' && *p != '\'') p++;
  const char *end = *p ? strchr(p + 1, *p) : NULL;
  return end ? end + 1 : p + strlen(p);
}

static void place_attributes(builder *b, const char *tag, xml_attribute *attributes, int n) {
  const char *p = tag + 1;
  while (*p && !xml_is_space(*p) && *p != '>' && *p != '/') p++;
  for (int i = 0; i < n && (p = next_attribute(p)); p = behind_attribute(p)) {
    size_t length = strcspn(p, " \t\r\n=");
    if (strncmp(p, "xmlns", 5) == 0 && (length == 5 || p[5] == ':')) continue; /* no attribute of ours */
    xml_cursor_move(&b->cursor, (size_t)(p - b->text));
    attributes[i].line = b->cursor.line;
    attributes[i].column = b->cursor.column;
    i++;
  }
}

/* Where the tag ends, quotes respected. */
static const char *tag_end(const char *p) {
  while (*p && *p != '>') {
    if (*p == '"' || *p == '\'') p = behind_attribute(p);
    else p++;
  }
  return p;
}

static xml_attribute *copy_attributes(builder *b, const xml_element *e, const xmlChar **given, int n) {
  xml_attribute *attributes = ARENA_ARRAY(b->arena, xml_attribute, n ? n : 1);
  for (int i = 0; attributes && i < n; i++, given += 5) {
    attributes[i] = (xml_attribute){.line = e->line, .column = e->column};
    attributes[i].name = arena_strdup(b->arena, (const char *)given[0]);
    attributes[i].ns = given[2] ? arena_strdup(b->arena, (const char *)given[2]) : NULL;
    attributes[i].value = attribute_value(b, given[3], given[4]);
    if (!attributes[i].name || !attributes[i].value || (given[2] && !attributes[i].ns)) return NULL;
  }
  return attributes;
}

static bool copy_prefixes(builder *b, xml_element *e, const xmlChar **given, int n) {
  xml_attribute *prefixes = n ? ARENA_ARRAY(b->arena, xml_attribute, n) : NULL;
  e->prefixes = prefixes;
  e->n_prefixes = (uint32_t)n;
  for (int i = 0; prefixes && i < n; i++, given += 2) {
    prefixes[i].name = given[0] ? arena_strdup(b->arena, (const char *)given[0]) : "";
    prefixes[i].value = given[1] ? arena_strdup(b->arena, (const char *)given[1]) : "";
    if (!prefixes[i].name || !prefixes[i].value) return false;
  }
  return !n || prefixes;
}

static void on_start(void *ud, const xmlChar *name, const xmlChar *prefix, const xmlChar *ns, int n_namespaces,
                     const xmlChar **namespaces, int n_attributes, int n_defaulted, const xmlChar **given) {
  (void)prefix, (void)n_defaulted;
  builder *b = ud;
  if (b->code) return;
  xml_element *e = ARENA_NEW(b->arena, xml_element);
  if (!e || !(e->name = arena_strdup(b->arena, (const char *)name)) ||
      (ns && !(e->ns = arena_strdup(b->arena, (const char *)ns)))) {
    stop(b, ORR_E_MEMORY);
    return;
  }
  e->text = "";
  const char *tag = b->tag < b->tags->count ? b->text + b->tags->offsets[b->tag++] : NULL;
  if (tag) xml_cursor_move(&b->cursor, (size_t)(tag - b->text));
  e->line = b->cursor.line;
  e->column = b->cursor.column;
  xml_attribute *attributes = copy_attributes(b, e, given, n_attributes);
  if (!attributes || !copy_prefixes(b, e, namespaces, n_namespaces)) {
    stop(b, ORR_E_MEMORY);
    return;
  }
  if (tag) {
    place_attributes(b, tag, attributes, n_attributes);
    xml_cursor_move(&b->cursor, (size_t)(tag_end(tag + 1) - b->text));
  }
  e->text_line = b->cursor.line;
  e->attributes = attributes;
  e->n_attributes = (uint32_t)n_attributes;
  e->parent = b->open;
  if (!b->open) b->root = e;
  else if (b->open->last) b->open->last->next = e;
  else b->open->first = e;
  if (b->open) b->open->last = e;
  b->open = e;
}

static void on_end(void *ud, const xmlChar *name, const xmlChar *prefix, const xmlChar *ns) {
  (void)name, (void)prefix, (void)ns;
  builder *b = ud;
  if (!b->code && b->open) b->open = b->open->parent;
}

static void on_text(void *ud, const xmlChar *bytes, int size) {
  builder *b = ud;
  xml_element *e = b->open;
  if (b->code || !e || size <= 0) return;
  size_t n = (size_t)size, needed = e->text_size + n + 1;
  char *text = (char *)(uintptr_t)e->text;
  if (needed > e->text_capacity) { /* doubled, so that text in many pieces stays linear */
    size_t capacity = needed > 2 * e->text_capacity ? needed : 2 * e->text_capacity;
    text = arena_grow(b->arena, e->text_capacity ? text : NULL, e->text_capacity, capacity);
    if (!text) {
      stop(b, ORR_E_MEMORY);
      return;
    }
    e->text_capacity = capacity;
  }
  memcpy(text + e->text_size, bytes, n);
  e->text_size += n;
  text[e->text_size] = '\0';
  e->text = text;
}

/* What stands behind a fault: how a prefix is declared, or in which element the fault is. */
static const char *about_fault(builder *b, int code, const char *prefix) {
  if (code == XML_NS_ERR_UNDEFINED_NAMESPACE && prefix) {
    const char *ns = vendor_namespace(prefix);
    return arena_printf(b->arena, "; the root element has to declare it: xmlns:%.100s=\"%s\"", prefix,
                        ns ? ns : "…");
  }
  if (!b->open) return "";
  return arena_printf(b->arena, "; <%s> of line %d is open", b->open->name, b->open->line);
}

#if LIBXML_VERSION >= 21200
static void on_error(void *ud, const xmlError *error) {
#else
static void on_error(void *ud, xmlError *error) {
#endif
  builder *b = ud;
  if (b->code || error->level < XML_ERR_ERROR) return;
  if (error->code == XML_ERR_NO_MEMORY) {
    stop(b, ORR_E_MEMORY);
    return;
  }
  const char *message = error->message ? error->message : "unknown error";
  int length = (int)strcspn(message, "\r\n");
  b->fault->line = error->line > 0 ? error->line : 1;
  b->fault->column = error->int2 > 0 ? error->int2 : 1;
  b->fault->element = b->open ? b->open->name : NULL;
  const char *about = about_fault(b, error->code, error->str1);
  if (length > 300) length = 300;
  b->fault->message =
      about ? arena_printf(b->arena, "the XML is not well-formed: %.*s%s", length, message, about) : NULL;
  stop(b, b->fault->message ? ORR_E_DEPLOYMENT : ORR_E_MEMORY);
}

static void parse_events(builder *b, const xml_text *text, bool *well_formed) {
  b->parser = xmlCreateMemoryParserCtxt(text->bytes, (int)text->size);
  if (!b->parser) {
    stop(b, ORR_E_MEMORY);
    return;
  }
  xmlSAXHandler handler = {
    .initialized = XML_SAX2_MAGIC,
    .startElementNs = on_start,
    .endElementNs = on_end,
    .characters = on_text,
    .cdataBlock = on_text,
    .serror = on_error,
  };
  *b->parser->sax = handler;
  b->parser->userData = b;
  xmlCtxtUseOptions(b->parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
  xmlParseDocument(b->parser);
  *well_formed = b->parser->wellFormed;
  xmlFreeParserCtxt(b->parser);
}

/* What fails outside a parser of its own, libxml2 would tell to standard error: that memory is out for a buffer or for a
 * namespace's address, which it then calls wrong. The function for such errors is this thread's. */
static int run_parser(builder *b, const xml_text *text) {
  xmlStructuredErrorFunc before = xmlStructuredError;
  void *before_ud = xmlStructuredErrorContext;
  bool well_formed = false;
  xmlSetStructuredErrorFunc(b, on_error);
  parse_events(b, text, &well_formed);
  xmlSetStructuredErrorFunc(before_ud, before);
  if (b->code) return b->code;
  if (well_formed && b->root && !b->open) return 0;
  return xml_fault_at(b->arena, b->text, text->size, b->fault, "the XML is not well-formed: the document ends too early");
}

int xml_parse(orr_arena *arena, const void *bytes, size_t size, xml_element **root, xml_fault *fault) {
  *root = NULL;
  *fault = (xml_fault){.line = 1, .column = 1};
  xml_text text = {0};
  xml_tags tags = {0};
  int rc = xml_text_decode(arena, bytes, size, &text, fault);
  if (!rc) rc = xml_scan(arena, &text, &tags, fault);
  if (rc) return rc;
  builder b = {.arena = arena, .text = text.bytes, .tags = &tags, .cursor = xml_cursor_at_start(text.bytes), .fault = fault};
  rc = run_parser(&b, &text);
  if (!rc) *root = b.root;
  return rc;
}

const xml_attribute *xml_attribute_of(const xml_element *e, const char *name) {
  for (uint32_t i = 0; i < e->n_attributes; i++)
    if (!e->attributes[i].ns && strcmp(e->attributes[i].name, name) == 0) return &e->attributes[i];
  return NULL;
}

const char *xml_value(const xml_element *e, const char *name) {
  const xml_attribute *a = xml_attribute_of(e, name);
  return a ? a->value : NULL;
}
