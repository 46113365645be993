/* The two tables, and the walk over a document that knows nothing but them. */
#include "model/parse/grammar.h"

#include <stdarg.h>
#include <string.h>

#include "model/parse/parse_internal.h"

static const grammar_row BPMN_ROWS[] = {
#define BPMN(name, use, type, parents, attributes) {#name, use, type, parents, attributes},
#include "model/parse/bpmn.def"
#undef BPMN
};
enum { BPMN_COUNT = sizeof BPMN_ROWS / sizeof *BPMN_ROWS };

static const extension_row EXTENSION_ATTRIBUTES[] = {
#define EXTENSION_ATTRIBUTE(name, use, hosts, reason) {#name, use, hosts, reason},
#define EXTENSION_ELEMENT(name, use, parents, attributes, reason)
#include "model/parse/extension.def"
#undef EXTENSION_ATTRIBUTE
#undef EXTENSION_ELEMENT
};
enum { EXTENSION_ATTRIBUTE_COUNT = sizeof EXTENSION_ATTRIBUTES / sizeof *EXTENSION_ATTRIBUTES };

typedef struct extension_element_row {
  extension_row row;
  const char *attributes; /* NULL: not looked at */
} extension_element_row;

static const extension_element_row EXTENSION_ELEMENTS[] = {
#define EXTENSION_ATTRIBUTE(name, use, hosts, reason)
#define EXTENSION_ELEMENT(name, use, parents, attributes, reason) {{#name, use, parents, reason}, attributes},
#include "model/parse/extension.def"
#undef EXTENSION_ATTRIBUTE
#undef EXTENSION_ELEMENT
};
enum { EXTENSION_ELEMENT_COUNT = sizeof EXTENSION_ELEMENTS / sizeof *EXTENSION_ELEMENTS };

/* ---- Looking up ------------------------------------------------------------------------------ */

static const grammar_row *find_row(const char *name) {
  for (size_t i = 0; i < BPMN_COUNT; i++)
    if (strcmp(BPMN_ROWS[i].name, name) == 0) return &BPMN_ROWS[i];
  return NULL;
}

const grammar_row *grammar_find(const xml_element *e) {
  return e->ns && strcmp(e->ns, BPMN_NS) == 0 ? find_row(e->name) : NULL;
}

bool grammar_is_node(const xml_element *e, node_type *type) {
  const grammar_row *row = grammar_find(e);
  if (!row || row->use != USE_NODE) return false;
  *type = (node_type)row->type;
  return true;
}

bool grammar_list_has(const char *list, const char *word) {
  size_t n = strlen(word);
  for (const char *p = list; *p; p += strspn(p, " ")) {
    size_t length = strcspn(p, " ");
    if (length == n && memcmp(p, word, n) == 0) return true;
    p += length;
  }
  return false;
}

static bool in_group(const char *group, const char *name) {
  if (strcmp(group, "@any") == 0) return true;
  const grammar_row *row = find_row(name);
  if (!row || row->use != USE_NODE) return false;
  node_type type = (node_type)row->type;
  bool scope = type <= NODE_TRANSACTION;
  if (strcmp(group, "@scope") == 0) return scope;
  if (strcmp(group, "@node") == 0) return type != NODE_PROCESS;
  if (strcmp(group, "@event") == 0) return type >= NODE_START_EVENT && type <= NODE_BOUNDARY_EVENT;
  return strcmp(group, "@activity") == 0 && type != NODE_PROCESS && (scope || type >= NODE_TASK);
}

/* Does a list of names and groups hold this name? */
static bool row_matches(const char *list, const char *name) {
  static const char *const GROUPS[] = {"@any", "@scope", "@node", "@event", "@activity"};
  if (grammar_list_has(list, name)) return true;
  for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++)
    if (grammar_list_has(list, GROUPS[i]) && in_group(GROUPS[i], name)) return true;
  return false;
}

static const extension_row *find_attribute(const char *name) {
  for (size_t i = 0; i < EXTENSION_ATTRIBUTE_COUNT; i++)
    if (strcmp(EXTENSION_ATTRIBUTES[i].name, name) == 0) return &EXTENSION_ATTRIBUTES[i];
  return NULL;
}

static const extension_element_row *find_extension(const char *name) {
  for (size_t i = 0; i < EXTENSION_ELEMENT_COUNT; i++)
    if (strcmp(EXTENSION_ELEMENTS[i].row.name, name) == 0) return &EXTENSION_ELEMENTS[i];
  return NULL;
}

/* ---- Suggestions ----------------------------------------------------------------------------- */
/* They are made for problems that are told: the many that are only counted need none. */

nearest grammar_nearest(const char *list, const char *word) {
  nearest best = nearest_to(word, strlen(word));
  for (const char *p = list; *p; p += strspn(p, " ")) {
    size_t size = strcspn(p, " ");
    nearest_offer(&best, p, size);
    p += size;
  }
  return best;
}

static nearest nearest_element(const char *parent, const char *word) {
  nearest best = nearest_to(word, strlen(word));
  for (size_t i = 0; i < BPMN_COUNT; i++)
    if (row_matches(BPMN_ROWS[i].parents, parent)) nearest_offer(&best, BPMN_ROWS[i].name, strlen(BPMN_ROWS[i].name));
  return best;
}

static void offer_extension(nearest *best, const extension_row *row, const char *host) {
  if (row_matches(row->hosts, host)) nearest_offer(best, row->name, strlen(row->name));
}

static nearest nearest_attribute(const char *host, const char *word) {
  nearest best = nearest_to(word, strlen(word));
  for (size_t i = 0; i < EXTENSION_ATTRIBUTE_COUNT; i++) offer_extension(&best, &EXTENSION_ATTRIBUTES[i], host);
  return best;
}

static nearest nearest_extension(const char *host, const char *word) {
  nearest best = nearest_to(word, strlen(word));
  for (size_t i = 0; i < EXTENSION_ELEMENT_COUNT; i++) offer_extension(&best, &EXTENSION_ELEMENTS[i].row, host);
  return best;
}

const char *grammar_suggestion(parser *p, nearest best) {
  return best.name ? parse_printf(p, "; did you mean \"%.*s\"?", (int)best.size, best.name) : "";
}

/* What XML Schema would refuse is refused in every process, executed or not. */
static void refuse_strictly(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void refuse_strictly(parser *p, const xml_element *e, const xml_attribute *a, const char *format, ...) {
  va_list args;
  va_start(args, format);
  parse_error_always(p, e, a, format, args);
  va_end(args);
}

/* ---- Vendors that nobody here reads ---------------------------------------------------------- */

/* What tools note for themselves, and what XML and the standard define. */
static bool is_tools_own(const char *ns) {
  static const char *const BEGINNINGS[] = {
    "http://www.w3.org/", "http://www.omg.org/", "http://bpmn.io/schema/", "http://camunda.org/schema/modeler/",
    "http://flowable.org/modeler", "http://flowable.org/design", "http://activiti.com/modeler",
  };
  for (size_t i = 0; i < sizeof BEGINNINGS / sizeof *BEGINNINGS; i++)
    if (strncmp(ns, BEGINNINGS[i], strlen(BEGINNINGS[i])) == 0) return true;
  return false;
}

/* Said once a namespace. */
static void note_vendor(parser *p, const xml_element *e, const xml_attribute *a, const char *ns) {
  if (is_tools_own(ns) || names_get(&p->other_vendors, ns)) return;
  if (!names_put(&p->other_vendors, ns, (void *)(uintptr_t)e)) parse_memory(p);
  nearest best = nearest_to(ns, strlen(ns));
  vendor_offer_namespaces(&best);
  parse_warning(p, e, a,
                "what \"%.200s\" adds to BPMN is not read: the extensions of Camunda, Operaton, Fluxnova, Flowable, "
                "Activiti and urn:orrery:bpmn are%s",
                ns, grammar_suggestion(p, best));
}

/* ---- Attributes ------------------------------------------------------------------------------ */

static void check_plain_attribute(parser *p, const xml_element *e, const grammar_row *row, const xml_attribute *a) {
  if (strcmp(a->name, "id") == 0 || grammar_list_has(row->attributes, a->name)) return;
  const extension_row *extension = find_attribute(a->name);
  if (extension && row_matches(extension->hosts, e->name)) {
    refuse_strictly(p, e, a, "attribute \"%s\" of <%s> needs a vendor's prefix, such as camunda:%s", a->name, e->name, a->name);
    return;
  }
  static const char format[] = "<%s> has no attribute \"%.100s\"%s";
  bool told = problems_want(p->problems, false, format);
  const char *suggestion = told ? grammar_suggestion(p, grammar_nearest(row->attributes, a->name)) : "";
  refuse_strictly(p, e, a, format, e->name, a->name, suggestion);
}

static void check_vendor_attribute(parser *p, const xml_element *e, const xml_attribute *a) {
  const extension_row *row = find_attribute(a->name);
  if (!row) {
    static const char format[] = "unknown extension attribute \"%s\" is ignored%s";
    bool told = problems_want(p->problems, true, format);
    parse_warning(p, e, a, format, a->name, told ? grammar_suggestion(p, nearest_attribute(e->name, a->name)) : "");
  } else if (!row_matches(row->hosts, e->name)) {
    parse_warning(p, e, a, "extension attribute \"%s\" has no effect on <%s>", a->name, e->name);
  } else if (row->use == EXTENSION_UNSUPPORTED) {
    parse_error(p, e, a, "\"%s\" is not supported: %s", a->name, row->reason);
  } else if (row->use == EXTENSION_IGNORED && row->reason) {
    parse_warning(p, e, a, "\"%s\" is ignored: %s", a->name, row->reason);
  }
}

/* Tasks of a model for Camunda 8 say nothing that another engine could run. */
static bool is_zeebe(const char *ns) { return ns && strncmp(ns, ZEEBE_NS, sizeof ZEEBE_NS - 1) == 0; }

/* Said once, of the whole, so that it comes before what is missing because of it. */
static void name_zeebe(parser *p, const xml_element *e) {
  if (p->zeebe) return;
  p->zeebe = true;
  while (e->parent) e = e->parent;
  parse_error(p, e, NULL,
              "this model is drawn for Camunda 8 (zeebe:), which describes tasks in ways of its own: choose Camunda 7 as the "
              "modeler's platform and give each task a class, an expression or a topic, or write them as orrery: attributes");
}

static void check_attributes(parser *p, const xml_element *e, const grammar_row *row) {
  for (uint32_t i = 0; i < e->n_attributes; i++) {
    const xml_attribute *a = &e->attributes[i];
    if (!a->ns) check_plain_attribute(p, e, row, a);
    else if (vendor_of(a->ns)) check_vendor_attribute(p, e, a);
    else if (is_zeebe(a->ns)) name_zeebe(p, e);
    else if (strcmp(a->ns, BPMN_NS) == 0) parse_error(p, e, a, "attribute \"%s\" must stand without a prefix", a->name);
    else note_vendor(p, e, a, a->ns);
  }
}

/* ---- Extension elements ---------------------------------------------------------------------- */

static void check_extension_attributes(parser *p, const xml_element *e, const extension_element_row *row) {
  for (uint32_t i = 0; row->attributes && i < e->n_attributes; i++) {
    const xml_attribute *a = &e->attributes[i];
    if ((a->ns && !vendor_of(a->ns)) || grammar_list_has(row->attributes, a->name)) continue;
    if (strcmp(a->name, "onTransaction") == 0) {
      parse_error(p, e, a, "listeners bound to the end of the transaction (onTransaction) are not supported");
      continue;
    }
    static const char format[] = "unknown attribute \"%s\" of <%s> is ignored%s";
    bool told = problems_want(p->problems, true, format);
    const char *suggestion = told ? grammar_suggestion(p, grammar_nearest(row->attributes, a->name)) : "";
    parse_warning(p, e, a, format, a->name, e->name, suggestion);
  }
}

/* `host`: the element around, past <extensionElements>. */
static void check_extension(parser *p, const xml_element *e, const char *host) {
  const extension_element_row *row = find_extension(e->name);
  if (!row) {
    static const char format[] = "unknown extension element <%s> is ignored%s";
    bool told = problems_want(p->problems, true, format);
    parse_warning(p, e, NULL, format, e->name, told ? grammar_suggestion(p, nearest_extension(host, e->name)) : "");
    return;
  }
  if (!row_matches(row->row.hosts, host)) {
    parse_warning(p, e, NULL, "extension element <%s> has no effect in <%s>", e->name, host);
    return;
  }
  if (row->row.use == EXTENSION_UNSUPPORTED) {
    parse_error(p, e, NULL, "<%s> is not supported: %s", e->name, row->row.reason);
    return;
  }
  if (row->row.use == EXTENSION_IGNORED) {
    if (row->row.reason) parse_warning(p, e, NULL, "<%s> is ignored: %s", e->name, row->row.reason);
    return;
  }
  check_extension_attributes(p, e, row);
  for (const xml_element *child = e->first; child; child = child->next)
    if (vendor_of(child->ns) && !grammar_find(child)) check_extension(p, child, e->name);
}

/* ---- The walk -------------------------------------------------------------------------------- */

static void check_element(parser *p, const xml_element *e);

static const char *const PLACES[] = {"import",
                                     "extension",
                                     "documentation",
                                     "extensionElements",
                                     "auditing",
                                     "monitoring",
                                     "categoryValueRef",
                                     "incoming",
                                     "outgoing",
                                     "ioSpecification",
                                     "property",
                                     "dataInput dataOutput",
                                     "dataInputAssociation",
                                     "dataOutputAssociation",
                                     "inputSet outputSet",
                                     "performer humanPerformer potentialOwner",
                                     "multiInstanceLoopCharacteristics standardLoopCharacteristics",
                                     "laneSet"};
enum {
  PLACE_OTHER = sizeof PLACES / sizeof *PLACES, /* behind what PLACES names */
  PLACE_ARTIFACT,
  PLACE_LAST,
  PLACES_COUNT
};

/* Where an element stands among its neighbors by the schema: the higher, the later. */
static int schema_place(const xml_element *e) {
  for (int i = 0; i < PLACE_OTHER; i++)
    if (grammar_list_has(PLACES[i], e->name)) return i;
  if (grammar_list_has("association group textAnnotation", e->name)) return PLACE_ARTIFACT;
  bool last = grammar_list_has("resourceRole correlationSubscription supports relationship", e->name);
  return last ? PLACE_LAST : PLACE_OTHER;
}

/* A child, and those before it that stand in the schema's order up to it: as many as can be. */
typedef struct ordered {
  const xml_element *child;
  int place;
  uint32_t count;
  struct ordered *before, *after;
} ordered;

static bool is_ordered(const xml_element *e) {
  int latest = 0;
  for (const xml_element *child = e->first; child; child = child->next) {
    if (!grammar_find(child)) continue;
    int place = schema_place(child);
    if (place < latest) return false;
    latest = place;
  }
  return true;
}

/* The first of the most children that stand in order among themselves; the others are those that
 * would have to move. */
static const ordered *longest_order(parser *p, const xml_element *e) {
  ordered *longest[PLACES_COUNT] = {0}, *last = NULL; /* by the place of the last child */
  for (const xml_element *child = e->first; child; child = child->next) {
    if (!grammar_find(child)) continue;
    ordered *own = ARENA_NEW(p->scratch, ordered);
    if (!own) parse_memory(p);
    *own = (ordered){.child = child, .place = schema_place(child), .count = 1};
    for (int i = 0; i <= own->place; i++)
      if (longest[i] && longest[i]->count >= own->count) {
        own->before = longest[i];
        own->count = longest[i]->count + 1;
      }
    longest[own->place] = own;
    if (!last || own->count > last->count) last = own;
  }
  for (; last && last->before; last = last->before) last->before->after = last;
  return last;
}

/* Other engines refuse what stands out of the schema's order. One that does is told of alone, and
 * not all that stand around it. */
static void check_order(parser *p, const xml_element *e) {
  if (is_ordered(e)) return;
  const ordered *left = NULL, *right = longest_order(p, e);
  for (const xml_element *child = e->first; child; child = child->next) {
    if (!grammar_find(child)) continue;
    if (right && right->child == child) {
      left = right;
      right = right->after;
    } else if (left && left->place > schema_place(child)) {
      parse_warning(p, child, NULL, "<%s> stands behind <%s>; by the schema it comes before",
                    child->name, left->child->name);
    } else if (right) {
      parse_warning(p, child, NULL, "<%s> stands before <%s>; by the schema it comes behind",
                    child->name, right->child->name);
    }
  }
}

static void check_children(parser *p, const xml_element *e) {
  bool container = is_bpmn(e, "extensionElements");
  if (!container) check_order(p, e);
  for (const xml_element *child = e->first; child; child = child->next) {
    if (vendor_of(child->ns)) {
      if (container) check_extension(p, child, e->parent->name);
      else parse_error(p, child, NULL, "extension element <%s> must stand inside <extensionElements>", child->name);
    } else if (is_zeebe(child->ns)) {
      name_zeebe(p, child);
    } else if (child->ns && strcmp(child->ns, BPMN_NS) == 0) {
      if (!container) check_element(p, child);
    } else if (child->ns) {
      note_vendor(p, child, NULL, child->ns);
    } else if (!container) {
      refuse_strictly(p, child, NULL, "<%.100s> is in no namespace; BPMN elements are in " BPMN_NS, child->name);
    }
  }
}

static void leave_out(parser *p, const xml_element *e) {
  const char *id = parse_trimmed(p, xml_value(e, "id"));
  if (id && !names_get(&p->left_out, id) && !names_put(&p->left_out, id, (void *)(uintptr_t)e)) parse_memory(p);
  /* ORR_XML_DEPTH_MAX deep at most */
  for (const xml_element *child = e->first; child; child = child->next) leave_out(p, child);
}

static void check_element(parser *p, const xml_element *e) {
  const grammar_row *row = find_row(e->name);
  const char *parent = e->parent ? e->parent->name : "";
  if (!row) {
    static const char format[] = "there is no BPMN element <%.100s>%s";
    bool told = problems_want(p->problems, false, format);
    refuse_strictly(p, e, NULL, format, e->name, told ? grammar_suggestion(p, nearest_element(parent, e->name)) : "");
    return;
  }
  if (e->parent && !row_matches(row->parents, parent)) {
    refuse_strictly(p, e, NULL, "<%s> may not stand inside <%s>", e->name, parent);
    return;
  }
  if (row->use == USE_UNSUPPORTED) {
    parse_error(p, e, NULL, "<%s> is known, but not supported", e->name);
    leave_out(p, e);
    return;
  }
  check_attributes(p, e, row);
  if (row->use != USE_IGNORED) check_children(p, e);
}

void grammar_check(parser *p, const xml_element *root) {
  check_order(p, root);
  check_attributes(p, root, find_row("definitions"));
  for (const xml_element *child = root->first; child; child = child->next) {
    if (!child->ns || strcmp(child->ns, BPMN_NS) != 0) continue; /* diagrams, and whatever else tools keep here */
    p->lenient = is_bpmn(child, "process") && parse_lenient(p, child);
    check_element(p, child);
    p->lenient = false;
  }
}
