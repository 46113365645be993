/* The tree of paths. */
#include "server/transport/router.h"

#include <stdlib.h>
#include <string.h>

typedef struct route_node {
  const char *name;             /* a piece of a path, within the table; of a parameter: "{" */
  size_t size;
  const operation **operations; /* those that end here, one for each method */
  size_t n_operations;
  struct route_node *children, *next;
} route_node;

struct router {
  route_node root;
};

static route_node *route_child(route_node *parent, const char *name, size_t size) {
  route_node **at = &parent->children;
  for (; *at; at = &(*at)->next)
    if ((*at)->size == size && memcmp((*at)->name, name, size) == 0) return *at;
  *at = calloc(1, sizeof **at);
  if (*at) **at = (route_node){.name = name, .size = size};
  return *at;
}

static bool route_add(route_node *at, const operation *op) {
  const char *piece = op->path;
  while (at && *piece) {
    size_t size = strcspn(++piece, "/");
    at = piece[0] == '{' ? route_child(at, "{", 1) : route_child(at, piece, size);
    piece += size;
  }
  if (!at) return false;
  const operation **more = realloc(at->operations, (at->n_operations + 1) * sizeof *more);
  if (!more) return false;
  at->operations = more;
  at->operations[at->n_operations++] = op;
  return true;
}

router *router_new(const operation *table, size_t n) {
  router *r = calloc(1, sizeof *r);
  for (size_t i = 0; r && i < n; i++)
    if (!route_add(&r->root, &table[i])) {
      router_free(r);
      return NULL;
    }
  return r;
}

/* As deep as a path has pieces. */
static void route_free(route_node *at) {
  while (at) {
    route_node *next = at->next;
    route_free(at->children);
    free(at->operations);
    free(at);
    at = next;
  }
}

void router_free(router *r) {
  if (!r) return;
  route_free(r->root.children);
  free(r->root.operations);
  free(r);
}

static const route_node *route_find(const route_node *at, const char *name, size_t size) {
  for (const route_node *child = at->children; child; child = child->next)
    if (child->size == size && memcmp(child->name, name, size) == 0) return child;
  return NULL;
}

/* A literal piece comes before a parameter; where the literal leads nowhere, the parameter is tried: a process key may be
 * "count". As deep as a path has pieces. */
static const route_node *route_walk(const route_node *at, char **segments, int n, char **values) {
  if (n == 0) return at->n_operations > 0 ? at : NULL;
  const route_node *child = route_find(at, segments[0], strlen(segments[0])), *found = NULL;
  if (child) found = route_walk(child, segments + 1, n - 1, values);
  child = found ? NULL : route_find(at, "{", 1);
  if (!child) return found;
  values[0] = segments[0];
  return route_walk(child, segments + 1, n - 1, values + 1);
}

const operation *router_find(const router *r, const char *method, char **segments, int n, char **values, bool *other_method) {
  const route_node *at = route_walk(&r->root, segments, n, values);
  *other_method = at;
  if (strcmp(method, "HEAD") == 0) method = "GET";
  for (size_t i = 0; at && i < at->n_operations; i++)
    if (strcmp(at->operations[i]->method, method) == 0) return at->operations[i];
  return NULL;
}
