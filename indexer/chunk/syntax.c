#include "syntax.h"

#include <stdlib.h>

// Results keep their buffer between files; above this many nodes it is given
// back (20 bytes a node).
#define KEPT_NODES (1u << 19)

static long live_trees;

long flat_live_trees(void) { return __atomic_load_n(&live_trees, __ATOMIC_RELAXED); }

flat_parser *flat_new(void) {
  flat_parser *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->parser = ts_parser_new();
  return self;
}

void flat_delete(flat_parser *self) {
  if (!self) return;
  if (self->has_cursor) ts_tree_cursor_delete(&self->cursor);
  ts_parser_delete(self->parser);
  free(self->nodes);
  free(self);
}

static bool reserve(flat_parser *self, uint32_t want) {
  if (want <= self->capacity) return true;
  uint32_t capacity = self->capacity ? self->capacity * 2 : 4096;
  if (capacity < want) capacity = want;
  flat_node *nodes = realloc(self->nodes, (size_t)capacity * sizeof *nodes);
  if (!nodes) return false;
  self->nodes = nodes;
  self->capacity = capacity;
  return true;
}

// flatten walks the whole tree once. The cursor's path is mirrored by parent
// indices: open is the innermost kept node, closed by setting its next.
static bool flatten(flat_parser *self, TSNode root, const uint8_t *keep, uint32_t keep_count) {
  if (self->has_cursor) ts_tree_cursor_reset(&self->cursor, root);
  else self->cursor = ts_tree_cursor_new(root), self->has_cursor = true;
  TSTreeCursor *cursor = &self->cursor;

  uint32_t open = 0;   // innermost kept node on the path
  uint32_t depth = 0;  // of the cursor
  // Depth at which each kept node on the path was entered: a node's own depth
  // is only needed while it is open, so it is kept in its next.
  self->count = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(cursor);
    TSSymbol symbol = ts_node_symbol(node);
    uint8_t how = symbol < keep_count ? keep[symbol] : FLAT_KEEP;
    if (depth == 0) how = FLAT_KEEP;
    bool kept = how == FLAT_KEEP || how == FLAT_LEAF;
    bool descend = how == FLAT_KEEP || how == FLAT_SKIP;
    if (kept) {
      if (!reserve(self, self->count + 1)) return false;
      flat_node *flat = &self->nodes[self->count];
      flat->start = ts_node_start_byte(node);
      flat->end = ts_node_end_byte(node);
      flat->symbol = symbol;
      flat->field = depth ? ts_tree_cursor_current_field_id(cursor) : 0;
      flat->parent = open;
      flat->next = depth;
      self->count++;
    }
    if (descend && ts_tree_cursor_goto_first_child(cursor)) {
      if (kept) open = self->count - 1;
      depth++;
      continue;
    }
    if (kept) self->nodes[self->count - 1].next = self->count;
    while (depth && !ts_tree_cursor_goto_next_sibling(cursor)) {
      ts_tree_cursor_goto_parent(cursor);
      depth--;
      if (self->nodes[open].next == depth) {
        self->nodes[open].next = self->count;
        open = self->nodes[open].parent;
      }
    }
    if (depth == 0) return true;
  }
}

int flat_parse(flat_parser *self, const TSLanguage *language, const char *text, uint32_t length,
               uint64_t micros, const uint8_t *keep, uint32_t keep_count) {
  self->count = 0;
  if (self->capacity > KEPT_NODES) {
    free(self->nodes);
    self->nodes = NULL;
    self->capacity = 0;
  }
  if (!self->parser) return 2;
  if (self->language != language) {
    if (!ts_parser_set_language(self->parser, language)) return 2;
    self->language = language;
  }
  ts_parser_set_timeout_micros(self->parser, micros);
  TSTree *tree = ts_parser_parse_string(self->parser, NULL, text, length);
  // Without the reset a parse that hit its limit is resumed by the next one,
  // which then answers with this document's tree.
  ts_parser_reset(self->parser);
  if (!tree) return 1;
  __atomic_add_fetch(&live_trees, 1, __ATOMIC_RELAXED);
  bool done = flatten(self, ts_tree_root_node(tree), keep, keep_count);
  ts_tree_delete(tree);
  __atomic_sub_fetch(&live_trees, 1, __ATOMIC_RELAXED);
  return done ? 0 : 2;
}
