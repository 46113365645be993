/* A treap with reference counts: nodes that only one version has are changed in place, others are copied. */
#include "tree.h"

#include <string.h>

/* Key and value, shared by the copies of a node. */
typedef struct tree_item {
  size_t refs;
  size_t key_size, value_size;
  unsigned char bytes[];
} tree_item;

struct tree_node {
  size_t refs;
  uint64_t priority; /* no child has a greater one; from the key, so that a map's shape is the same in every run */
  tree_item *item;
  tree_node *left, *right;
};

static int compare(store_bytes a, store_bytes b) {
  size_t common = a.size < b.size ? a.size : b.size;
  int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
  return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

store_bytes tree_key(const tree_node *node) { return (store_bytes){node->item->bytes, node->item->key_size}; }

store_bytes tree_value(const tree_node *node) {
  return (store_bytes){node->item->bytes + node->item->key_size, node->item->value_size};
}

/* FNV-1a with a final mix: neighboring keys must get unrelated priorities. */
static uint64_t priority_of(store_bytes key) {
  const unsigned char *bytes = key.data;
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < key.size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
  hash ^= hash >> 32;
  hash *= UINT64_C(0xD6E8FEB86659FD93);
  return hash ^ hash >> 32;
}

/* ---- Items and nodes ------------------------------------------------------------------------- */

static size_t item_size(const tree_item *item) { return sizeof *item + item->key_size + item->value_size; }

static tree_item *item_new(const orr_allocator *allocator, store_bytes key, store_bytes value) {
  tree_item *item = env_alloc(allocator, sizeof *item + key.size + value.size);
  if (!item) return NULL;
  *item = (tree_item){.refs = 1, .key_size = key.size, .value_size = value.size};
  memcpy(item->bytes, key.data, key.size);
  if (value.size > 0) memcpy(item->bytes + key.size, value.data, value.size);
  return item;
}

static void item_drop(const orr_allocator *allocator, tree_item *item) {
  if (--item->refs == 0) env_free(allocator, item, item_size(item));
}

tree_node *tree_hold(tree_node *root) {
  if (root) root->refs++;
  return root;
}

void tree_drop(const orr_allocator *allocator, tree_node *root) {
  if (!root || --root->refs > 0) return;
  tree_drop(allocator, root->left);
  tree_drop(allocator, root->right);
  item_drop(allocator, root->item);
  env_free(allocator, root, sizeof *root);
}

/* Makes *slot a node that only this version has. */
static bool own(const orr_allocator *allocator, tree_node **slot) {
  tree_node *node = *slot;
  if (node->refs == 1) return true;
  tree_node *copy = env_alloc(allocator, sizeof *copy);
  if (!copy) return false;
  *copy = *node;
  copy->refs = 1;
  copy->item->refs++;
  tree_hold(copy->left);
  tree_hold(copy->right);
  node->refs--;
  *slot = copy;
  return true;
}

/* ---- Changing -------------------------------------------------------------------------------- */

static bool add_leaf(const orr_allocator *allocator, tree_node **slot, tree_item *item, uint64_t priority) {
  tree_node *node = env_alloc(allocator, sizeof *node);
  if (!node) return false;
  item->refs++;
  *node = (tree_node){.refs = 1, .priority = priority, .item = item};
  *slot = node;
  return true;
}

static void lift_left(tree_node **slot) {
  tree_node *node = *slot, *child = node->left;
  node->left = child->right;
  child->right = node;
  *slot = child;
}

static void lift_right(tree_node **slot) {
  tree_node *node = *slot, *child = node->right;
  node->right = child->left;
  child->left = node;
  *slot = child;
}

static bool put_item(const orr_allocator *allocator, tree_node **slot, tree_item *item, uint64_t priority) {
  if (!*slot) return add_leaf(allocator, slot, item, priority);
  if (!own(allocator, slot)) return false;
  tree_node *node = *slot;
  int order = compare((store_bytes){item->bytes, item->key_size}, tree_key(node));
  if (order == 0) {
    item_drop(allocator, node->item);
    item->refs++;
    node->item = item;
    return true;
  }
  tree_node **child = order < 0 ? &node->left : &node->right;
  if (!put_item(allocator, child, item, priority)) return false;
  if ((*child)->priority > node->priority) {
    if (order < 0) {
      lift_left(slot);
    } else {
      lift_right(slot);
    }
  }
  return true;
}

bool tree_put(const orr_allocator *allocator, tree_node **root, store_bytes key, store_bytes value) {
  tree_item *item = item_new(allocator, key, value);
  if (!item) return false;
  bool done = put_item(allocator, root, item, priority_of(key));
  item_drop(allocator, item);
  return done;
}

/* Joins two trees, all keys of `left` being smaller, and consumes both. Without memory both are gone. */
static bool join(const orr_allocator *allocator, tree_node *left, tree_node *right, tree_node **out) {
  *out = left != NULL ? left : right;
  if (!left || !right) return true;
  bool left_on_top = left->priority >= right->priority;
  *out = left_on_top ? left : right;
  if (!own(allocator, out)) {
    tree_drop(allocator, left);
    tree_drop(allocator, right);
    *out = NULL;
    return false;
  }
  if (left_on_top) return join(allocator, (*out)->right, right, &(*out)->right);
  return join(allocator, left, (*out)->left, &(*out)->left);
}

static bool remove_key(const orr_allocator *allocator, tree_node **slot, store_bytes key) {
  if (!own(allocator, slot)) return false;
  tree_node *node = *slot;
  int order = compare(key, tree_key(node));
  if (order != 0) return remove_key(allocator, order < 0 ? &node->left : &node->right, key);
  tree_node *left = node->left, *right = node->right;
  node->left = node->right = NULL;
  tree_drop(allocator, node);
  return join(allocator, left, right, slot);
}

bool tree_remove(const orr_allocator *allocator, tree_node **root, store_bytes key) {
  store_bytes value;
  return !tree_get(*root, key, &value) || remove_key(allocator, root, key);
}

/* ---- Looking --------------------------------------------------------------------------------- */

bool tree_get(const tree_node *root, store_bytes key, store_bytes *value) {
  while (root) {
    int order = compare(key, tree_key(root));
    if (order == 0) {
      *value = tree_value(root);
      return true;
    }
    root = order < 0 ? root->left : root->right;
  }
  return false;
}

/* The least entry >= key, or > key. */
static const tree_node *seek_up(const tree_node *root, store_bytes key, bool inclusive) {
  const tree_node *found = NULL;
  while (root) {
    int order = compare(tree_key(root), key);
    bool fits = order > 0 || (order == 0 && inclusive);
    if (fits) found = root;
    root = fits ? root->left : root->right;
  }
  return found;
}

/* The greatest entry <= key, or < key. */
static const tree_node *seek_down(const tree_node *root, store_bytes key, bool inclusive) {
  const tree_node *found = NULL;
  while (root) {
    int order = compare(tree_key(root), key);
    bool fits = order < 0 || (order == 0 && inclusive);
    if (fits) found = root;
    root = fits ? root->right : root->left;
  }
  return found;
}

const tree_node *tree_seek(const tree_node *root, range_seek seek, store_bytes key) {
  switch (seek) {
    case RANGE_AT_OR_AFTER: return seek_up(root, key, true);
    case RANGE_AT_OR_BEFORE: return seek_down(root, key, true);
    case RANGE_BEFORE: return seek_down(root, key, false);
    case RANGE_LAST: break;
  }
  while (root && root->right) root = root->right;
  return root;
}

const tree_node *tree_after(const tree_node *root, store_bytes key) { return seek_up(root, key, false); }
