// The part of tree-sitter's C interface that this package uses, and the one
// pass over a tree that it adds.
//
// The runtime and the grammars are compiled by github.com/smacker/go-tree-sitter
// and its subpackages; their headers cannot be included across modules, so the
// few declarations are repeated here. They are those of api.h at the pinned
// version; TestRuntime fails when they drift.
#ifndef CHUNK_SYNTAX_H
#define CHUNK_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t TSSymbol;
typedef uint16_t TSFieldId;
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;

typedef struct TSNode {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct TSTreeCursor {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

typedef struct TSPoint {
  uint32_t row, column;
} TSPoint;

typedef struct TSRange {
  TSPoint start_point, end_point;
  uint32_t start_byte, end_byte;
} TSRange;

typedef struct TSInput {
  void *payload;
  const char *(*read)(void *payload, uint32_t at, TSPoint point, uint32_t *size);
  int encoding; // 0 is UTF-8
} TSInput;

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const TSLanguage *);
void ts_parser_set_timeout_micros(TSParser *, uint64_t);
bool ts_parser_set_included_ranges(TSParser *, const TSRange *, uint32_t);
void ts_parser_reset(TSParser *);
TSTree *ts_parser_parse(TSParser *, const TSTree *, TSInput);
void ts_tree_delete(TSTree *);
TSNode ts_tree_root_node(const TSTree *);
TSSymbol ts_node_symbol(TSNode);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_reset(TSTreeCursor *, TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
TSFieldId ts_tree_cursor_current_field_id(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
uint32_t ts_language_symbol_count(const TSLanguage *);
const char *ts_language_symbol_name(const TSLanguage *, TSSymbol);
int ts_language_symbol_type(const TSLanguage *, TSSymbol);
uint32_t ts_language_field_count(const TSLanguage *);
const char *ts_language_field_name_for_id(const TSLanguage *, TSFieldId);
uint32_t ts_language_version(const TSLanguage *);

// One node of a tree, flattened in document order. next is the index after the
// node's last descendant, so children are visited by i = i+1, then i = next.
typedef struct flat_node {
  uint32_t start, end; // bytes, half open
  uint32_t next;
  uint32_t parent;     // index; the root's is 0
  uint16_t symbol;     // 0xffff for a region that did not parse
  uint16_t field;      // the grammar's field id below the parent, 0 for none
} flat_node;

// What flat_parse does with a node, by grammar symbol: skip it and keep its
// children, keep it, keep it without its children, drop it with its children.
enum { FLAT_SKIP = 0, FLAT_KEEP = 1, FLAT_LEAF = 2, FLAT_DROP = 3 };

// What flat_parse came to.
enum {
  FLAT_DONE = 0,
  FLAT_LIMIT = 1,  // the time or the work allowed is used up
  FLAT_MEMORY = 2, // no memory, or a grammar that the runtime does not accept
  FLAT_ABORT = 3,  // the grammar's scanner gave up
};

typedef struct flat_parser {
  TSParser *parser;
  TSTreeCursor cursor;
  bool has_cursor;
  flat_node *nodes; // the last result; reused
  uint32_t count, capacity;
} flat_parser;

flat_parser *flat_new(void);
void flat_delete(flat_parser *);

// flat_parse parses text and leaves the flattened tree in self->nodes. Only what is within the
// ranges is read, unless their count is 0; they ascend.
int flat_parse(flat_parser *self, const TSLanguage *language, const char *text, uint32_t length,
               uint64_t micros, const uint8_t *keep, uint32_t keep_count, const TSRange *ranges, uint32_t range_count);

// Trees alive in this process, for the test that none is left behind.
long flat_live_trees(void);

// Calls abort as a grammar would, within a guard: for the test that the process
// survives it. The result is FLAT_ABORT.
int flat_abort(void);

#endif
