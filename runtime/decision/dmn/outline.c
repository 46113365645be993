/* What the numbers of inputs, outputs and rules of a table stand for. Read from the text alone,
 * without compiling. */
#include "decision/dmn/outline.h"

#include <string.h>

#include "decision/dmn/dmn_internal.h"

static const xml_element *element_of_id(const xml_element *e, const char *id) {
  for (const xml_element *child = e->first; child; child = child->next) {
    const char *own = xml_value(child, "id");
    if (own && dmn_version(child->ns) && strcmp(own, id) == 0) return child;
  }
  return NULL;
}

static void outline_text(orr_builder *out, const char *key, const char *text) {
  if (text && *text) orr_builder_put(out, key, orr_string(text));
}

/* DMN tools write the name of a column into its label; without a label, its expression is the
 * name. */
static const char *outline_label(const xml_element *e) {
  const char *label = xml_value(e, "label");
  const xml_element *expression = dmn_child(e, "inputExpression");
  const xml_element *text = dmn_child(expression, "text");
  return label && *label ? label : text ? text->text : NULL;
}

static void put_columns(orr_builder *out, const xml_element *table, const char *name, const char *key) {
  orr_builder_key(out, key, strlen(key));
  orr_builder_array(out);
  for (const xml_element *e = NULL; (e = dmn_next(table, e, name));) {
    orr_builder_map(out);
    outline_text(out, "id", xml_value(e, "id"));
    outline_text(out, "label", outline_label(e));
    outline_text(out, "name", xml_value(e, "name"));
    orr_builder_end(out);
  }
  orr_builder_end(out);
}

static void put_rules(orr_builder *out, const xml_element *table) {
  orr_builder_key(out, "rules", strlen("rules"));
  orr_builder_array(out);
  for (const xml_element *e = NULL; (e = dmn_next(table, e, "rule"));) {
    orr_builder_map(out);
    outline_text(out, "id", xml_value(e, "id"));
    orr_builder_end(out);
  }
  orr_builder_end(out);
}

int dmn_outline(orr_arena *arena, const void *bytes, size_t size, const char *id, orr_builder *out, orr_error *err) {
  xml_element *root = NULL;
  xml_fault fault = {0};
  int rc = xml_parse(arena, bytes, size, &root, &fault);
  if (rc == ORR_E_MEMORY) return error_memory(err);
  if (rc) return error_set(err, rc, "%d:%d: %s", fault.line, fault.column, fault.message);
  const xml_element *decision = element_of_id(root, id);
  const xml_element *table = decision ? dmn_child(decision, "decisionTable") : NULL;
  orr_builder_map(out);
  put_columns(out, table, "input", "inputs");
  put_columns(out, table, "output", "outputs");
  put_rules(out, table);
  outline_text(out, "aggregation", table ? xml_value(table, "aggregation") : NULL);
  orr_builder_end(out);
  return 0;
}
