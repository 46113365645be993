/* The store in memory: for specs and the simulation. A snapshot holds a version of the tree; a commit
 * works on a version of its own and swaps it in, so a failed one leaves no trace. */
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "tree.h"

typedef struct memory_store {
  store base;
  orr_allocator allocator;
  pthread_mutex_t mutex; /* guards root, the counters, and every reference count in the tree */
  tree_node *root;
  uint64_t commits, entries;
} memory_store;

typedef struct memory_snapshot {
  store_snapshot base;
  memory_store *owner;
  tree_node *root;
} memory_snapshot;

typedef struct memory_cursor {
  store_cursor base;
  memory_snapshot *snapshot;
  const tree_node *next; /* the entry to give out next */
  bool backwards;
  size_t prefix_size;
  unsigned char prefix[STORE_KEY_MAX];
} memory_cursor;

/* ---- Snapshots ------------------------------------------------------------------------------- */

static void snapshot_swap(memory_snapshot *snapshot, bool take) {
  memory_store *s = snapshot->owner;
  pthread_mutex_lock(&s->mutex);
  tree_drop(&s->allocator, snapshot->root);
  snapshot->root = take ? tree_hold(s->root) : NULL;
  pthread_mutex_unlock(&s->mutex);
}

static int memory_snapshot_renew(store_snapshot *base, orr_error *err) {
  (void)err;
  snapshot_swap((memory_snapshot *)base, true);
  return 0;
}

static void memory_snapshot_release(store_snapshot *base) { snapshot_swap((memory_snapshot *)base, false); }

static int memory_snapshot_open(store *base, store_snapshot **out, orr_error *err) {
  memory_store *s = (memory_store *)base;
  memory_snapshot *snapshot = env_zalloc(&s->allocator, sizeof *snapshot);
  if (!snapshot) return error_memory(err);
  snapshot->base.methods = base->methods;
  snapshot->owner = s;
  snapshot_swap(snapshot, true);
  *out = &snapshot->base;
  return 0;
}

static void memory_snapshot_close(store_snapshot *base) {
  memory_snapshot *snapshot = (memory_snapshot *)base;
  snapshot_swap(snapshot, false);
  env_free(&snapshot->owner->allocator, snapshot, sizeof *snapshot);
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int memory_get(store_snapshot *base, store_bytes key, store_bytes *value, orr_error *err) {
  (void)err;
  return tree_get(((memory_snapshot *)base)->root, key, value) ? 0 : ORR_E_NOT_FOUND;
}

static int memory_scan(store_snapshot *base, const store_range *range, store_cursor **out, orr_error *err) {
  memory_snapshot *snapshot = (memory_snapshot *)base;
  memory_cursor *cursor = env_alloc(&snapshot->owner->allocator, sizeof *cursor);
  if (!cursor) return error_memory(err);
  range_start start;
  range_begin(range, &start);
  cursor->base.methods = base->methods;
  cursor->snapshot = snapshot;
  cursor->next = tree_seek(snapshot->root, start.seek, (store_bytes){start.key, start.size});
  cursor->backwards = range->backwards;
  cursor->prefix_size = range->prefix.size;
  if (range->prefix.size > 0) memcpy(cursor->prefix, range->prefix.data, range->prefix.size);
  *out = &cursor->base;
  return 0;
}

static int memory_next(store_cursor *base, store_bytes *key, store_bytes *value, orr_error *err) {
  (void)err;
  memory_cursor *cursor = (memory_cursor *)base;
  const tree_node *node = cursor->next, *root = cursor->snapshot->root;
  if (!node || !range_has_prefix(tree_key(node), (store_bytes){cursor->prefix, cursor->prefix_size})) return ORR_E_NOT_FOUND;
  *key = tree_key(node);
  *value = tree_value(node);
  cursor->next = cursor->backwards ? tree_seek(root, RANGE_BEFORE, *key) : tree_after(root, *key);
  return 0;
}

static void memory_cursor_close(store_cursor *base) {
  memory_cursor *cursor = (memory_cursor *)base;
  env_free(&cursor->snapshot->owner->allocator, cursor, sizeof *cursor);
}

/* ---- Committing ------------------------------------------------------------------------------ */

static bool counts(const tree_node *root, const store_op *op) {
  const tree_node *node = tree_seek(root, RANGE_AT_OR_AFTER, op->key);
  uint32_t count = 0;
  while (node && range_has_prefix(tree_key(node), op->key) && count <= op->expected) {
    count++;
    node = tree_after(root, tree_key(node));
  }
  return count == op->expected;
}

static bool holds(const tree_node *root, const store_op *op) {
  store_bytes value;
  if (op->kind == STORE_COUNT) return counts(root, op);
  if (op->expected == STORE_ANY_REVISION) return true;
  bool found = tree_get(root, op->key, &value);
  if (op->expected == STORE_ABSENT) return !found;
  return found && store_revision(value) == op->expected;
}

/* Marks the batch as lost when one of its expectations does not hold. */
static bool batch_wins(const tree_node *root, store_batch *batch) {
  for (size_t i = 0; i < batch->count; i++) {
    if (holds(root, &batch->ops[i])) continue;
    batch->status = ORR_E_CONFLICT;
    batch->lost_op = i;
    return false;
  }
  return true;
}

static bool apply_op(const orr_allocator *allocator, tree_node **root, const store_op *op, uint64_t *entries) {
  store_bytes value;
  bool found = tree_get(*root, op->key, &value);
  switch (op->kind) {
    case STORE_PUT: *entries += !found; return tree_put(allocator, root, op->key, op->value);
    case STORE_DELETE: *entries -= found; return tree_remove(allocator, root, op->key);
    case STORE_CHECK:
    case STORE_COUNT: break;
  }
  return true;
}

static bool apply_batches(memory_store *s, tree_node **root, uint64_t *entries, store_batch *batches, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!batch_wins(*root, &batches[i])) continue;
    for (size_t j = 0; j < batches[i].count; j++) {
      if (!apply_op(&s->allocator, root, &batches[i].ops[j], entries)) return false;
    }
  }
  return true;
}

/* The mutex is held. */
static int write_group(memory_store *s, store_group *group, orr_error *err) {
  int rc = store_group_gather(group, err);
  if (rc) return rc;
  tree_node *root = tree_hold(s->root);
  uint64_t entries = s->entries;
  bool done = apply_batches(s, &root, &entries, group->batches, group->count);
  if (done && root != s->root) s->commits++; /* when every batch lost, nothing was committed */
  tree_drop(&s->allocator, done ? s->root : root);
  if (done) {
    s->root = root;
    s->entries = entries;
  }
  return done ? 0 : error_memory(err);
}

static int memory_commit(store *base, store_group *group, orr_error *err) {
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->mutex);
  int rc = write_group(s, group, err);
  pthread_mutex_unlock(&s->mutex);
  return rc;
}

/* ---- The store ------------------------------------------------------------------------------- */

static uint64_t memory_changed(store *base) {
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->mutex);
  uint64_t commits = s->commits;
  pthread_mutex_unlock(&s->mutex);
  return commits;
}

static uint64_t memory_foreign(store *base) {
  (void)base;
  return 0; /* nobody else has it */
}

static uint64_t memory_foreign_seen(store_snapshot *base) {
  (void)base;
  return 0;
}

static int memory_stats(store *base, store_stats *out, orr_error *err) {
  (void)err;
  memory_store *s = (memory_store *)base;
  pthread_mutex_lock(&s->mutex);
  *out = (store_stats){.commits = s->commits, .entries = s->entries};
  pthread_mutex_unlock(&s->mutex);
  return 0;
}

static const char *memory_path(const store *base) {
  (void)base;
  return "";
}

static void memory_close(store *base) {
  memory_store *s = (memory_store *)base;
  orr_allocator allocator = s->allocator;
  tree_drop(&allocator, s->root);
  pthread_mutex_destroy(&s->mutex);
  env_free(&allocator, s, sizeof *s);
}

static const store_methods memory_methods = {
  .close = memory_close,
  .path = memory_path,
  .snapshot_open = memory_snapshot_open,
  .snapshot_renew = memory_snapshot_renew,
  .snapshot_release = memory_snapshot_release,
  .snapshot_close = memory_snapshot_close,
  .get = memory_get,
  .scan = memory_scan,
  .next = memory_next,
  .cursor_close = memory_cursor_close,
  .commit = memory_commit,
  .changed = memory_changed,
  .foreign = memory_foreign,
  .foreign_seen = memory_foreign_seen,
  .stats = memory_stats,
};

int store_open_memory(const store_options *options, store **out, orr_error *err) {
  *out = NULL;
  memory_store *s = env_zalloc(&options->env->allocator, sizeof *s);
  if (!s) return error_memory(err);
  s->base.methods = &memory_methods;
  s->allocator = options->env->allocator;
  pthread_mutex_init(&s->mutex, NULL);
  *out = &s->base;
  return 0;
}
