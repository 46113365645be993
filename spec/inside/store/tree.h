/* An ordered map with cheap versions: a treap whose nodes are shared between versions and copied when a shared one must
 * change. A version is a root; holding it (tree_hold) keeps all it reaches. Not thread-safe, except that lookups in a
 * version that somebody holds may run beside changes of another version: shared nodes never change. */
#ifndef ORR_STORE_TREE_H
#define ORR_STORE_TREE_H

#include "store/range.h"

typedef struct tree_node tree_node;

tree_node *tree_hold(tree_node *root);
void tree_drop(const orr_allocator *allocator, tree_node *root);

/* Both consume the version in *root and leave the new one there. On false memory is out: *root is then only good for
 * tree_drop. */
bool tree_put(const orr_allocator *allocator, tree_node **root, store_bytes key, store_bytes value);
bool tree_remove(const orr_allocator *allocator, tree_node **root, store_bytes key);

bool tree_get(const tree_node *root, store_bytes key, store_bytes *value);
/* The entry a seek names, or NULL. */
const tree_node *tree_seek(const tree_node *root, range_seek seek, store_bytes key);
/* The first entry behind `key`. */
const tree_node *tree_after(const tree_node *root, store_bytes key);
store_bytes tree_key(const tree_node *node);
store_bytes tree_value(const tree_node *node);

#endif
