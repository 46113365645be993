/* Files and their imports, the nodes of the requirements graph, and what they require. */
#include <string.h>

#include "decision/dmn/dmn_internal.h"

/* ---- Whose file ------------------------------------------------------------------------------ */

static bool uses_namespace(const xml_element *e, const char *part) {
  for (uint32_t i = 0; i < e->n_attributes; i++)
    if (e->attributes[i].ns && strstr(e->attributes[i].ns, part)) return true;
  for (const xml_element *child = e->first; child; child = child->next)
    if ((child->ns && strstr(child->ns, part)) || uses_namespace(child, part)) return true;
  return false;
}

static bool says(const xml_element *root, const char *attribute, const char *part) {
  const char *value = xml_value(root, attribute);
  return value && strstr(value, part);
}

/* A file without a vendor's mark follows the engine's dialect, if that has one. */
static dmn_vendor vendor_of_file(const dmn_build *b, const xml_element *root) {
  if (says(root, "namespace", "flowable") || says(root, "namespace", "activiti") || says(root, "exporter", "lowable") ||
      uses_namespace(root, "flowable.org"))
    return DMN_FLOWABLE;
  if (says(root, "namespace", "camunda.org") || says(root, "exporter", "Camunda") ||
      uses_namespace(root, "camunda.org/schema/1.0/dmn"))
    return DMN_CAMUNDA;
  if (b->options->dialect == ORR_DIALECT_CAMUNDA) return DMN_CAMUNDA;
  return b->options->dialect == ORR_DIALECT_FLOWABLE ? DMN_FLOWABLE : DMN_STANDARD;
}

static bool types_are_prefixed(const xml_element *e) {
  const char *type = xml_value(e, "typeRef");
  if (type && strncmp(type, "feel:", 5) == 0) return true;
  for (const xml_element *child = e->first; child; child = child->next)
    if (types_are_prefixed(child)) return true;
  return false;
}

/* Flowable has only JUEL. Camunda reads DMN 1.1 as JUEL, except for cells of inputs. A DMN 1.1 file
 * without any mark counts as Camunda's, unless it writes its types as only the standard does. */
static void choose_languages(const dmn_build *b, dmn_model *m) {
  const char *version = dmn_version(m->root->ns), *said = xml_value(m->root, "expressionLanguage");
  m->legacy = strcmp(version, "1.1") == 0;
  m->vendor = vendor_of_file(b, m->root);
  m->ours = m->vendor == DMN_STANDARD && uses_namespace(m->root, "urn:orrery");
  if (m->vendor == DMN_STANDARD && m->legacy && !types_are_prefixed(m->root)) m->vendor = DMN_CAMUNDA;
  m->language = m->entry_language = DMN_FEEL;
  if (m->vendor == DMN_FLOWABLE) m->language = m->entry_language = DMN_JUEL;
  else if (m->vendor == DMN_CAMUNDA && m->legacy) m->language = DMN_JUEL;
  if (said && (strstr(said, "juel") || strstr(said, "uel"))) m->language = m->entry_language = DMN_JUEL;
  else if (said && strcmp(said, "lua") == 0) m->language = m->entry_language = DMN_LUA;
  else if (said && m->vendor != DMN_FLOWABLE && (strstr(said, "feel") || strstr(said, "FEEL"))) m->language = DMN_FEEL;
}

/* ---- Nodes ----------------------------------------------------------------------------------- */

static const struct { const char *element; dmn_node_kind kind; } KINDS[] = {
  {"inputData", DMN_INPUT}, {"decision", DMN_DECISION}, {"businessKnowledgeModel", DMN_KNOWLEDGE},
      {"decisionService", DMN_SERVICE},
};

static bool is_node(const xml_element *e, dmn_node_kind *kind) {
  for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
    if (!dmn_is(e, KINDS[i].element)) continue;
    *kind = KINDS[i].kind;
    return true;
  }
  return false;
}

static void dmn_new_node(dmn_build *b, dmn_model *m, const xml_element *e, dmn_node_kind kind) {
  dmn_node *n = DMN_NEW(b, dmn_node);
  const char *own = dmn_attribute(b, e, "name"), *variable = dmn_attribute(b, dmn_child(e, "variable"), "name");
  *n = (dmn_node){.kind = kind, .model = m, .element = e, .id = dmn_attribute(b, e, "id"), .name = variable ? variable : own};
  if (!n->name) n->name = n->id;
  if (!n->name) {
    dmn_error(b, e, "<%s> must have a name", e->name);
    n->name = "";
  }
  if (!n->id) n->id = own ? own : n->name;
  const dmn_node *other = names_get(&m->by_id, n->id);
  if (other)
    dmn_error(b, e, "id \"%s\" is used twice: by <%s> in line %d and here", n->id, other->element->name, other->element->line);
  else if (!names_put(&m->by_id, n->id, n)) dmn_memory(b);
  dmn_push(b, &m->nodes, &m->n_nodes, n);
  dmn_push(b, &b->nodes, &b->n_nodes, n);
  n->number = b->n_nodes;
  bool function = kind == DMN_KNOWLEDGE || kind == DMN_SERVICE;
  n->lua = dmn_printf(b, function ? "B[%u]" : "n%u", n->number);
}

/* ---- References ------------------------------------------------------------------------------ */

static const dmn_import *import_of(const dmn_model *m, const char *ns, size_t size) {
  for (uint32_t i = 0; i < m->n_imports; i++)
    if (strlen(m->imports[i].ns) == size && memcmp(m->imports[i].ns, ns, size) == 0) return &m->imports[i];
  return NULL;
}

/* "#id", "namespace#id", or the id alone as older tools write it. */
static dmn_node *node_referred(dmn_build *b, dmn_model *m, const xml_element *e) {
  const char *href = dmn_attribute(b, e, "href"), *hash = href ? strrchr(href, '#') : NULL;
  if (!href) {
    dmn_error(b, e, "<%s> must have an href", e->name);
    return NULL;
  }
  size_t size = hash ? (size_t)(hash - href) : 0;
  const dmn_model *where = m;
  if (size && !(m->ns && strlen(m->ns) == size && memcmp(m->ns, href, size) == 0)) {
    const dmn_import *import = import_of(m, href, size);
    where = import ? import->model : NULL;
    if (!import) dmn_error(b, e, "\"%.200s\" names a namespace that this file does not import", href);
    if (!where) return NULL;
  }
  dmn_node *found = names_get(&where->by_id, hash ? hash + 1 : href);
  if (!found) dmn_error(b, e, "<%s> refers to \"%.200s\", which does not exist", e->name, href);
  return found;
}

static void require(dmn_build *b, dmn_node *n, const xml_element *holder, const char *name) {
  for (const xml_element *e = NULL; (e = dmn_next(holder, e, name));) {
    dmn_node *target = node_referred(b, n->model, e);
    if (target) dmn_push(b, &n->required, &n->n_required, target);
  }
}

static void read_requirements(dmn_build *b, dmn_node *n) {
  for (const xml_element *e = NULL; (e = dmn_next(n->element, e, "informationRequirement"));) {
    require(b, n, e, "requiredInput");
    require(b, n, e, "requiredDecision");
  }
  for (const xml_element *e = NULL; (e = dmn_next(n->element, e, "knowledgeRequirement"));)
    require(b, n, e, "requiredKnowledge");
  if (n->n_required > ORR_DECISION_REQUIREMENTS_MAX)
    dmn_error(b, n->element, "\"%s\" requires %u others; the limit is %d", n->name, n->n_required,
              ORR_DECISION_REQUIREMENTS_MAX);
}

/* ---- Circles --------------------------------------------------------------------------------- */

enum { UNSEEN, OPEN, DONE };

/* Knowledge models may call themselves and each other. A decision that requires its own result is
 * an error. */
static void find_circle(dmn_build *b, dmn_node *n, uint32_t depth) {
  if (depth > ORR_DECISION_DEPTH_MAX) {
    dmn_error(b, n->element, "decisions require each other more than %d deep", ORR_DECISION_DEPTH_MAX);
    return;
  }
  n->mark = OPEN;
  for (uint32_t i = 0; i < n->n_required; i++) {
    dmn_node *next = n->required[i];
    if (next->kind != DMN_DECISION || next->mark == DONE) continue;
    if (next->mark == OPEN)
      dmn_error(b, n->element, "decision \"%s\" requires \"%s\", which requires it in turn: requirements may not form a circle",
                n->name, next->name);
    else find_circle(b, next, depth + 1);
  }
  n->mark = DONE;
}

/* ---- Imports --------------------------------------------------------------------------------- */

static bool is_namespace_of(dmn_build *b, const char *resource, const orr_value *bytes, const char *ns) {
  xml_element *root = NULL;
  xml_fault fault = {0};
  for (uint32_t i = 0; i < b->n_models; i++)
    if (strcmp(b->models[i]->resource, resource) == 0) return b->models[i]->ns && strcmp(b->models[i]->ns, ns) == 0;
  bool plain = !strpbrk(ns, "&<>\"'"); /* then it is in the text unescaped, and files without it need not be read */
  if (plain && !memmem(bytes->as.bytes, bytes->size, ns, strlen(ns))) return false;
  int rc = xml_parse(b->arena, bytes->as.bytes, bytes->size, &root, &fault);
  if (rc == ORR_E_MEMORY) dmn_memory(b);
  const char *own = !rc && root ? xml_value(root, "namespace") : NULL;
  return own && strcmp(own, ns) == 0;
}

/* The resource with this namespace: the one at the location, if that has it, else any. */
static const char *resource_of(dmn_build *b, const char *ns, const char *location) {
  const char *base = location ? strrchr(location, '/') : NULL;
  const char *wanted = base ? base + 1 : location;
  const char *found = NULL;
  orr_iterator at = orr_iterate(b->resources);
  orr_value key, bytes;
  while (orr_next(&at, &key, &bytes)) {
    if (!dmn_is_model(key.as.bytes, key.size) || bytes.type != ORR_STRING) continue;
    const char *name = dmn_printf(b, "%.*s", (int)key.size, key.as.bytes);
    const char *slash = strrchr(name, '/');
    bool named = wanted && strcmp(slash ? slash + 1 : name, wanted) == 0;
    if ((found && !named) || !is_namespace_of(b, name, &bytes, ns)) continue;
    found = name;
    if (named) break;
  }
  return found;
}

static dmn_model *model_named(const dmn_build *b, const char *resource) {
  for (uint32_t i = 0; i < b->n_models; i++)
    if (strcmp(b->models[i]->resource, resource) == 0) return b->models[i];
  return NULL;
}

static bool is_being_read(const dmn_model *m, const char *resource) {
  for (; m; m = m->importer)
    if (strcmp(m->resource, resource) == 0) return true;
  return false;
}

/* A problem of all imports together may be in a file that is only imported. It is reported where
 * the first file enters it. */
static void report_import(dmn_build *b, const char *message) {
  dmn_model *model = b->model;
  b->model = b->models[0];
  dmn_error(b, b->import, "%s", message);
  b->model = model;
}

/* Every import is a model of its own, because a model that is imported twice may get two values for
 * one input. */
static dmn_model *imported(dmn_build *b, const xml_element *e, const char *name, const char *ns) {
  const char *resource = resource_of(b, ns, dmn_attribute(b, e, "locationURI"));
  if (!resource) {
    dmn_error(b, e, "the imported model \"%.200s\" is not in this deployment; its .dmn resources are searched by namespace",
              ns);
    return NULL;
  }
  dmn_model *importer = b->model;
  if (is_being_read(importer, resource)) {
    report_import(b, dmn_printf(b, "the import of \"%.200s\" closes a circle of imports", resource));
    return NULL;
  }
  dmn_model *m = dmn_read(b, resource, importer, name);
  b->model = importer;
  if (!m) dmn_error(b, e, "the imported model \"%.200s\" cannot be read", resource);
  return m;
}

static void read_imports(dmn_build *b, dmn_model *m) {
  m->imports = DMN_ARRAY(b, dmn_import, dmn_count(m->root, "import") + 1);
  for (const xml_element *e = NULL; (e = dmn_next(m->root, e, "import"));) {
    const char *type = dmn_attribute(b, e, "importType"), *ns = dmn_attribute(b, e, "namespace"),
               *name = dmn_attribute(b, e, "name");
    if (type && !dmn_version(type)) {
      dmn_warning(b, e, "what is imported is no DMN model (importType \"%.100s\"); it is ignored", type);
      continue;
    }
    if (!ns) {
      dmn_error(b, e, "<import> must have a namespace");
      continue;
    }
    if (m->first) b->import = e;
    dmn_model *model = b->n_models < ORR_DECISION_IMPORTS_MAX ? imported(b, e, name ? name : "", ns) : NULL;
    if (b->n_models >= ORR_DECISION_IMPORTS_MAX)
      report_import(b, dmn_printf(b, "more than %d models are imported", ORR_DECISION_IMPORTS_MAX));
    m->imports[m->n_imports++] = (dmn_import){.name = name ? name : "", .ns = ns, .model = model};
  }
}

/* ---- A file ---------------------------------------------------------------------------------- */

static const xml_element *parse_file(dmn_build *b, const dmn_model *m) {
  const dmn_model *same = model_named(b, m->resource);
  if (same) return same->root;
  orr_value bytes = orr_map_get(b->resources, m->resource);
  xml_element *root = NULL;
  xml_fault fault = {0};
  if (bytes.type != ORR_STRING) return NULL;
  int rc = xml_parse(b->arena, bytes.as.bytes, bytes.size, &root, &fault);
  if (rc == ORR_E_MEMORY) dmn_memory(b);
  problem_place at = {m->resource, fault.line, fault.column, fault.element};
  if (rc && m->first) problems_add(b->problems, false, &at, "%s", fault.message);
  if (rc) return NULL;
  if (dmn_version(root->ns) && strcmp(root->name, "definitions") == 0) return root;
  at = (problem_place){m->resource, root->line, root->column, root->name};
  if (m->first)
    problems_add(b->problems, false, &at,
                 "this is not DMN: the root element must be <definitions> in a namespace such as "
                 "https://www.omg.org/spec/DMN/20191111/MODEL/, but it is <%.100s> in \"%.200s\"",
                 root->name, root->ns ? root->ns : "");
  return NULL;
}

static void read_nodes(dmn_build *b, dmn_model *m) {
  dmn_node_kind kind;
  m->by_id.arena = m->items.arena = b->arena;
  for (const xml_element *e = m->root->first; e; e = e->next)
    if (is_node(e, &kind)) dmn_new_node(b, m, e, kind);
  for (uint32_t i = 0; i < m->n_nodes; i++) read_requirements(b, m->nodes[i]);
  for (uint32_t i = 0; i < m->n_nodes; i++)
    if (m->nodes[i]->kind == DMN_DECISION && m->nodes[i]->mark == UNSEEN) find_circle(b, m->nodes[i], 0);
}

dmn_model *dmn_read(dmn_build *b, const char *resource, const dmn_model *importer, const char *name) {
  dmn_model *m = DMN_NEW(b, dmn_model);
  *m = (dmn_model){.resource = resource, .importer = importer, .import_name = name};
  m->first = b->n_models == 0;
  m->root = parse_file(b, m);
  if (!m->root) return NULL;
  m->ns = dmn_attribute(b, m->root, "namespace");
  dmn_push(b, &b->models, &b->n_models, m);
  b->model = m;
  choose_languages(b, m);
  dmn_check_grammar(b, m->root);
  read_imports(b, m);
  read_nodes(b, m);
  dmn_read_types(b, m);
  return m;
}
