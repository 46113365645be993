/* The walk over the trees of a mapped file. It calls nothing of LMDB, which would believe a damaged page, and reads nothing
 * of a page before it has been found to be sound. */
#include "store/lmdb/pages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define PAGE_HEADER 16u
#define NODE_HEADER 8u
#define FIRST_PAGE 2u         /* behind the two meta pages */
#define NO_ROOT UINT64_MAX    /* of an empty tree */
#define DEPTH_MAX 32u         /* LMDB's own cursors reach no deeper */
#define FINDINGS_MAX 100u     /* one damaged page may make all behind it look wrong */
#define PAGES_A_WORD 4096u    /* so often it is told how far the walk is: every few milliseconds */

enum { PAGE_BRANCH = 0x01, PAGE_LEAF = 0x02, PAGE_OVERFLOW = 0x04, PAGE_KINDS = 0x6f };
enum { NODE_BIG = 0x01, NODE_TREE = 0x02 };

/* Slots lead to nodes, which fill the page from its end. An overflow page has neither, but a count in place of the bounds. */
typedef struct disk_page {
  uint64_t number;
  uint16_t pad, flags;
  uint16_t lower, upper;
  uint16_t slots[];
} disk_page;

/* Of a leaf: a key, then a value of low + high * 65536 bytes, or the number of its overflow page. Of a branch: a key, and
 * the number of a page in low, high and flags. */
typedef struct disk_node {
  uint16_t low, high, flags, key_size;
  uint8_t data[];
} disk_node;

typedef struct walk {
  const pages_image *image;
  const store_page_listener *told;
  disk_meta meta;
  uint32_t page_size;
  uint64_t count; /* of pages in use; their numbers are below */
  uint8_t *seen;  /* a bit for each */
  uint64_t taken; /* so many are set */
  pages_depth depth;
  uint64_t left; /* pages that may still be read */
  bool cut;      /* there were more */
  uint64_t findings, unsafe;
} walk;

typedef enum tree_kind { TREE_MAIN, TREE_FREE, TREE_RECORDS } tree_kind;
static const char *const tree_names[] = {"the tree of trees", "the list of free pages", "the tree of records"};

/* One tree, and what the walk has counted of it. */
typedef struct tree_walk {
  walk *w;
  tree_kind kind;
  disk_database found;
} tree_walk;

static void walk_found(walk *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void walk_found(walk *w, const char *format, ...) {
  char sentence[256];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  w->findings++;
  w->unsafe++;
  w->told->finding(w->told->ud, sentence);
}

static bool walk_has_enough(const walk *w) { return w->findings >= FINDINGS_MAX; }

static const disk_page *walk_page(const walk *w, uint64_t number) {
  return (const disk_page *)(const void *)(w->image->map + number * w->page_size);
}

/* May `pages` more be read? Not so, once, and nothing more is. */
static bool walk_may_read(walk *w, uint64_t pages) {
  w->cut = w->cut || pages > w->left;
  if (w->cut) return false;
  w->left -= pages;
  return true;
}

/* ---- Which pages are taken ------------------------------------------------------------------- */

static bool page_seen(const walk *w, uint64_t number) { return w->seen[number / 8] & (1u << number % 8); }

/* Takes `pages` pages for `what`, which page `from` says is there; false, with a finding, when they cannot be its. A check
 * of one leaf alone takes none. */
static bool take_pages(walk *w, uint64_t number, uint64_t pages, const char *what, uint64_t from) {
  if (number < FIRST_PAGE || number >= w->count || pages > w->count - number) {
    walk_found(w, "page %" PRIu64 " leads to %s at page %" PRIu64 ", and the file's last page is %" PRIu64, from, what, number,
               w->count - 1);
    return false;
  }
  for (uint64_t i = number; w->seen && i < number + pages; i++) {
    if (page_seen(w, i)) {
      walk_found(w, "page %" PRIu64 " is used twice, the second time as %s by page %" PRIu64, i, what, from);
      return false;
    }
    w->seen[i / 8] = (uint8_t)(w->seen[i / 8] | (1u << i % 8));
    if (++w->taken % PAGES_A_WORD == 0) store_tell(&w->told->progress, w->taken, w->count);
  }
  return true;
}

/* ---- One page -------------------------------------------------------------------------------- */

static uint32_t page_slots(const disk_page *page) { return (page->lower - PAGE_HEADER) / 2; }

static const disk_node *page_node(const disk_page *page, uint32_t slot) {
  return (const disk_node *)(const void *)((const uint8_t *)page + page->slots[slot]);
}

static uint64_t child_of(const disk_node *node) {
  return node->low | (uint64_t)node->high << 16 | (uint64_t)node->flags << 32;
}

static size_t value_size(const disk_node *node) { return node->low | (size_t)node->high << 16; }

static bool check_page_kind(walk *w, const disk_page *page, uint64_t number, uint16_t kind, const char *what) {
  if (page->number == number && (page->flags & PAGE_KINDS) == kind) return true;
  if (page->number != number)
    walk_found(w, "page %" PRIu64 " should be %s, and says that it is page %" PRIu64, number, what, page->number);
  else walk_found(w, "page %" PRIu64 " should be %s, and is of kind %#x", number, what, page->flags);
  return false;
}

/* The node's length; 0 when it reaches out of the page. */
static size_t node_length(const walk *w, const disk_page *page, uint32_t slot, bool leaf) {
  size_t at = page->slots[slot];
  if (at < page->upper || at + NODE_HEADER > w->page_size) return 0;
  const disk_node *node = page_node(page, slot);
  size_t length = NODE_HEADER + (size_t)node->key_size;
  if (leaf) length += node->flags & NODE_BIG ? sizeof(uint64_t) : value_size(node);
  return at + length <= w->page_size ? length : 0;
}

/* That slots and nodes lie inside, and that the nodes fill what the page says they fill. */
static bool check_slots(walk *w, const disk_page *page, bool leaf) {
  bool bounds = page->lower >= PAGE_HEADER && page->lower <= page->upper && page->upper <= w->page_size && page->lower % 2 == 0;
  if (!bounds || page_slots(page) == 0) {
    walk_found(w, "page %" PRIu64 " says that its slots end at %u and its nodes begin at %u", page->number, page->lower,
               page->upper);
    return false;
  }
  size_t filled = 0;
  for (uint32_t slot = 0; slot < page_slots(page); slot++) {
    size_t length = node_length(w, page, slot, leaf);
    if (length == 0) {
      walk_found(w, "node %u of page %" PRIu64 " reaches out of its page", slot, page->number);
      return false;
    }
    filled += (length + 1) / 2 * 2;
  }
  if (filled == w->page_size - page->upper) return true;
  walk_found(w, "the nodes of page %" PRIu64 " fill %zu bytes of %u", page->number, filled, w->page_size - page->upper);
  return false;
}

/* ---- Values ---------------------------------------------------------------------------------- */

/* The value of a leaf's node; NULL when its overflow pages are not sound. */
static const uint8_t *node_value(tree_walk *t, const disk_page *page, const disk_node *node) {
  walk *w = t->w;
  const uint8_t *inside = node->data + node->key_size;
  if (!(node->flags & NODE_BIG)) return inside;
  uint64_t number, pages = (PAGE_HEADER - 1 + value_size(node)) / w->page_size + 1;
  memcpy(&number, inside, sizeof number);
  if (!take_pages(w, number, pages, "a value", page->number) || !walk_may_read(w, pages)) return NULL;
  const disk_page *first = walk_page(w, number);
  if (!check_page_kind(w, first, number, PAGE_OVERFLOW, "a value")) return NULL;
  uint32_t has = first->lower | (uint32_t)first->upper << 16; /* it keeps what it once needed */
  t->found.overflows += has;
  if (has < pages) {
    walk_found(w, "the value at page %" PRIu64 " needs %" PRIu64 " pages and has %u", number, pages, has);
    return NULL;
  }
  bool rest = has == pages || take_pages(w, number + pages, has - pages, "the rest of a value", number);
  return rest ? (const uint8_t *)first + PAGE_HEADER : NULL;
}

/* A value of the list of free pages: how many, then their numbers. */
static void take_free_pages(walk *w, const disk_page *page, const uint8_t *value, size_t size) {
  uint64_t count = 0, number;
  if (size >= sizeof count) memcpy(&count, value, sizeof count);
  if (size < sizeof count || count > size / sizeof number - 1) {
    walk_found(w, "page %" PRIu64 " lists %" PRIu64 " free pages in %zu bytes", page->number, count, size);
    return;
  }
  for (uint64_t i = 1; i <= count && !walk_has_enough(w); i++) {
    memcpy(&number, value + i * sizeof number, sizeof number);
    take_pages(w, number, 1, "a free page", page->number);
  }
}

static void walk_tree(walk *w, tree_kind kind, const disk_database *database);

/* A tree within the tree of trees: the only one is that of the records. */
static void walk_tree_within(walk *w, const disk_page *page, const uint8_t *value, size_t size) {
  disk_database database;
  if (size != sizeof database) {
    walk_found(w, "page %" PRIu64 " has a tree of %zu bytes", page->number, size);
    return;
  }
  memcpy(&database, value, sizeof database);
  walk_tree(w, TREE_RECORDS, &database);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

static void walk_leaf(tree_walk *t, const disk_page *page) {
  walk *w = t->w;
  t->found.leaves++;
  for (uint32_t slot = 0; slot < page_slots(page) && !walk_has_enough(w); slot++) {
    const disk_node *node = page_node(page, slot);
    t->found.entries++;
    const uint8_t *value = node_value(t, page, node);
    if (value && t->kind == TREE_FREE) take_free_pages(w, page, value, value_size(node));
    if (value && t->kind == TREE_MAIN && (node->flags & NODE_TREE)) walk_tree_within(w, page, value, value_size(node));
  }
}

static const char *level_name(uint32_t level) { return level == 1 ? "a leaf" : "a branch"; }

/* No deeper than DEPTH_MAX. `level` counts down to the leaves, which are at 1. */
static void walk_subtree(tree_walk *t, uint64_t number, uint32_t level, uint64_t from) {
  walk *w = t->w;
  bool leaf = level == 1;
  const char *what = level_name(level);
  if (walk_has_enough(w) || !take_pages(w, number, 1, what, from) || !walk_may_read(w, 1)) return;
  const disk_page *page = walk_page(w, number);
  if (!check_page_kind(w, page, number, leaf ? PAGE_LEAF : PAGE_BRANCH, what) || !check_slots(w, page, leaf)) return;
  if (leaf) {
    walk_leaf(t, page);
    return;
  }
  t->found.branches++;
  for (uint32_t slot = 0; slot < page_slots(page); slot++)
    walk_subtree(t, child_of(page_node(page, slot)), level - 1, number);
}

/* The branches `below` levels beneath this one, all above them being sound; what they lead to is taken. */
static void walk_branches(tree_walk *t, uint64_t number, uint32_t level, uint32_t below) {
  walk *w = t->w;
  const disk_page *page = walk_page(w, number);
  if (walk_has_enough(w) || w->cut || (below == 0 && !walk_may_read(w, 1))) return;
  bool sound = below > 0 || (check_page_kind(w, page, number, PAGE_BRANCH, "a branch") && check_slots(w, page, false));
  if (below == 0 && sound) t->found.branches++;
  for (uint32_t slot = 0; sound && slot < page_slots(page); slot++) {
    uint64_t child = child_of(page_node(page, slot));
    if (below > 0) walk_branches(t, child, level - 1, below - 1);
    else take_pages(w, child, 1, level_name(level - 1), number);
  }
}

/* The pages that lead to others, level by level from the root: however many may be read, those that lead to the most are. */
static void walk_inner(tree_walk *t, const disk_database *database) {
  walk *w = t->w;
  if (!take_pages(w, database->root, 1, level_name(database->depth), 0)) return;
  for (uint32_t below = 0; below + 1 < database->depth && w->findings == 0 && !w->cut; below++)
    walk_branches(t, database->root, database->depth, below);
}

static void check_tree_count(const tree_walk *t, const char *what, uint64_t said, uint64_t found) {
  if (said != found)
    walk_found(t->w, "%s should have %" PRIu64 " %s and has %" PRIu64, tree_names[t->kind], said, what, found);
}

static void walk_tree(walk *w, tree_kind kind, const disk_database *database) {
  tree_walk t = {.w = w, .kind = kind};
  uint64_t before = w->findings;
  if (database->root == NO_ROOT && database->depth == 0) return;
  if (database->depth == 0 || database->depth > DEPTH_MAX) {
    walk_found(w, "%s has %u levels", tree_names[kind], database->depth);
    return;
  }
  bool inner = w->depth == PAGES_INNER && kind == TREE_RECORDS;
  if (inner) walk_inner(&t, database);
  else walk_subtree(&t, database->root, database->depth, 0);
  if (w->findings > before || w->cut) return;
  check_tree_count(&t, "branch pages", database->branches, t.found.branches);
  if (inner) return;
  check_tree_count(&t, "leaf pages", database->leaves, t.found.leaves);
  check_tree_count(&t, "pages of large values", database->overflows, t.found.overflows);
  check_tree_count(&t, "entries", database->entries, t.found.entries);
}

/* A lost page costs room, and nothing else. */
static void count_lost_pages(walk *w) {
  uint64_t lost = 0;
  for (uint64_t number = FIRST_PAGE; number < w->count; number++) lost += !page_seen(w, number);
  if (lost == 0) return;
  walk_found(w, "pages that are neither used nor free: %" PRIu64, lost);
  w->unsafe--;
}

/* ---- The file -------------------------------------------------------------------------------- */

/* The transaction's meta page; false when later ones have taken its place. */
static bool read_image_meta(const pages_image *image, disk_meta *meta) {
  uint32_t page_size;
  memcpy(&page_size, image->map + offsetof(disk_meta, free_list), sizeof page_size);
  memcpy(meta, image->map + (image->transaction % 2) * page_size, sizeof *meta);
  return meta->transaction == image->transaction;
}

static void walk_all(walk *w) {
  walk_tree(w, TREE_MAIN, &w->meta.main);
  walk_tree(w, TREE_FREE, &w->meta.free_list);
  if (w->findings == 0 && w->depth == PAGES_ALL) count_lost_pages(w);
}

int pages_check(const orr_allocator *allocator, const pages_image *image, pages_depth depth, const store_page_listener *told,
                uint64_t *unsafe, orr_error *err) {
  walk w = {.image = image, .told = told, .depth = depth, .left = depth == PAGES_ALL ? UINT64_MAX : image->inner_max};
  *unsafe = 0;
  if (!read_image_meta(image, &w.meta)) return error_set(err, ORR_E_CONFLICT, "the pages were written over meanwhile");
  w.page_size = w.meta.free_list.page_size;
  w.count = w.meta.last_page + 1;
  if (w.count > image->size / w.page_size) {
    walk_found(&w, "the file has %" PRIu64 " pages, but only %zu bytes", w.count, image->size);
    *unsafe = w.unsafe;
    return 0;
  }
  size_t bits = (size_t)(w.count / 8 + 1);
  w.seen = env_zalloc(allocator, bits);
  if (!w.seen) return error_memory(err);
  walk_all(&w);
  env_free(allocator, w.seen, bits);
  *unsafe = w.unsafe;
  return 0;
}

/* ---- One leaf -------------------------------------------------------------------------------- */

bool pages_check_leaf(const pages_image *image, uint32_t page_size, uint64_t number,
                      const store_page_listener *told) {
  walk w = {.image = image, .told = told, .left = UINT64_MAX, .page_size = page_size,
            .count = image->size / page_size};
  tree_walk t = {.w = &w, .kind = TREE_RECORDS};
  const disk_page *page = walk_page(&w, number);
  if (!check_page_kind(&w, page, number, PAGE_LEAF, level_name(1))) return false;
  if (!check_slots(&w, page, true)) return false;
  walk_leaf(&t, page);
  return w.findings == 0;
}

bool pages_leaf_has(const pages_image *image, uint32_t page_size, uint64_t number, const void *key) {
  const disk_page *page = (const disk_page *)(const void *)(image->map + number * page_size);
  for (uint32_t slot = 0; slot < page_slots(page); slot++)
    if (page_node(page, slot)->data == key) return true;
  return false;
}
