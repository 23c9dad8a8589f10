#include "syntax.h"
#include "packed/language.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>

// A result's buffer is kept for the next file unless it holds more nodes than
// this (20 bytes a node).
#define KEPT_NODES (1u << 19)

// Text is handed to the lexer in blocks of this many bytes, and each file may
// be read FACTOR times over plus SLACK. Parsing source reads it once or twice,
// or a hundred times where the lexer goes back over the border of a block at
// every token of many readings that are tried; a scanner that runs to the end of the file at every byte reads it many
// thousands of times, and that within one operation, where the runtime's own time limit
// is not looked at.
#define BLOCK 2048u
#define FACTOR 512u
#define SLACK (1u << 20)

static long live_trees;

long flat_live_trees(void) { return __atomic_load_n(&live_trees, __ATOMIC_RELAXED); }

// --- Leaving a parse ---------------------------------------------------------
//
// A parse is left from inside a scanner in two cases: its budget is used up, or
// the scanner calls abort, or an assert that fails, on input that it did not
// expect. On Linux the linker hands the latter two to the wrappers below.

enum { LEFT_BUDGET = 1, LEFT_ABORT = 2 };

static _Thread_local jmp_buf *guard;

#ifdef __linux__
void __real_abort(void) __attribute__((noreturn));
void __wrap_abort(void) __attribute__((noreturn));
void __wrap_abort(void) {
  if (guard) longjmp(*guard, LEFT_ABORT);
  __real_abort();
}

void __real___assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
void __wrap___assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  if (guard) longjmp(*guard, LEFT_ABORT);
  __real___assert_fail(what, file, line, function);
}
#endif

int flat_abort(void) {
  jmp_buf here;
  if (setjmp(here)) {
    guard = NULL;
    return FLAT_ABORT;
  }
  guard = &here;
  abort();
}

// --- Reading -----------------------------------------------------------------

typedef struct source {
  const char *text;
  uint32_t length;
  uint64_t budget;   // bytes that may still be read
  uint64_t deadline; // of the thread's clock, in microseconds
} source;

// now_micros returns the processor time of the thread: on a busy machine a file
// is not to lose its symbols because others were served first.
static uint64_t now_micros(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

// read_source leaves the parse at the end of its budget. To say instead that
// the text has ended is not safe: the lexer goes back to count columns, and
// reads what it has read before.
static const char *read_source(void *payload, uint32_t at, TSPoint point, uint32_t *size) {
  source *self = payload;
  (void)point;
  *size = 0;
  if (at >= self->length) return "";
  uint32_t rest = self->length - at;
  uint32_t block = rest < BLOCK ? rest : BLOCK;
  if (block > self->budget || now_micros() > self->deadline) longjmp(*guard, LEFT_BUDGET);
  self->budget -= block;
  *size = block;
  return self->text + at;
}

// --- Lua ---------------------------------------------------------------------
//
// The Lua scanner keeps its state in global variables and does not reset them.

extern char packed_lua_ending_char;
extern uint8_t packed_lua_level_count;
static pthread_mutex_t lua = PTHREAD_MUTEX_INITIALIZER;

static void enter(const TSLanguage *language) {
  if (!packed_is_lua(language)) return;
  pthread_mutex_lock(&lua);
  packed_lua_ending_char = 0;
  packed_lua_level_count = 0;
}

static void leave(const TSLanguage *language) {
  if (packed_is_lua(language)) pthread_mutex_unlock(&lua);
}

// --- Parsing and flattening --------------------------------------------------

flat_parser *flat_new(void) {
  flat_parser *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->parser = ts_parser_new();
  return self;
}

void flat_delete(flat_parser *self) {
  if (!self) return;
  if (self->has_cursor) ts_tree_cursor_delete(&self->cursor);
  if (self->parser) ts_parser_delete(self->parser);
  free(self->nodes);
  free(self);
}

static bool reserve(flat_parser *self, uint32_t want) {
  if (want <= self->capacity) return true;
  uint32_t capacity = self->capacity ? self->capacity * 2 : 4096;
  flat_node *nodes = realloc(self->nodes, (size_t)capacity * sizeof *nodes);
  if (!nodes) return false;
  self->nodes = nodes;
  self->capacity = capacity;
  return true;
}

// flatten walks the whole tree once. A node's next holds its depth while it is
// open, that is, while the cursor is below it; open is the innermost such node.
static bool flatten(flat_parser *self, TSNode root, const uint8_t *keep, uint32_t keep_count) {
  if (self->has_cursor) {
    ts_tree_cursor_reset(&self->cursor, root);
  } else {
    self->cursor = ts_tree_cursor_new(root);
    self->has_cursor = true;
  }
  TSTreeCursor *cursor = &self->cursor;
  uint32_t open = 0, depth = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(cursor);
    TSSymbol symbol = ts_node_symbol(node);
    uint8_t how = symbol < keep_count && depth ? keep[symbol] : FLAT_KEEP;
    bool kept = how == FLAT_KEEP || how == FLAT_LEAF;
    if (kept) {
      if (!reserve(self, self->count + 1)) return false;
      self->nodes[self->count++] = (flat_node){
          .start = ts_node_start_byte(node),
          .end = ts_node_end_byte(node),
          .next = depth,
          .parent = open,
          .symbol = symbol,
          .field = depth ? ts_tree_cursor_current_field_id(cursor) : 0,
      };
    }
    if ((how == FLAT_KEEP || how == FLAT_SKIP) && ts_tree_cursor_goto_first_child(cursor)) {
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

// guarded parses until the deadline; the result is 0, LEFT_BUDGET or LEFT_ABORT.
// The runtime's own limit is of the time of day: a parse that it stops before the
// thread has had its time goes on.
static int guarded(TSParser *parser, TSInput input, uint64_t deadline, TSTree **tree) {
  jmp_buf here;
  int left = setjmp(here);
  if (!left) {
    guard = &here;
    for (uint64_t now = now_micros(); !*tree && now < deadline; now = now_micros()) {
      ts_parser_set_timeout_micros(parser, deadline - now);
      *tree = ts_parser_parse(parser, NULL, input);
    }
  }
  guard = NULL;
  return left;
}

int flat_parse(flat_parser *self, const TSLanguage *language, const char *text, uint32_t length,
               uint64_t micros, const uint8_t *keep, uint32_t keep_count, const TSRange *ranges, uint32_t range_count) {
  self->count = 0;
  if (self->capacity > KEPT_NODES) {
    free(self->nodes);
    self->nodes = NULL;
    self->capacity = 0;
  }
  if (!self->parser) self->parser = ts_parser_new();
  if (!self->parser || !ts_parser_set_language(self->parser, language)) return FLAT_MEMORY;
  if (!ts_parser_set_included_ranges(self->parser, ranges, range_count)) return FLAT_MEMORY;
  source text_source = {
      .text = text,
      .length = length,
      .budget = (uint64_t)length * FACTOR + SLACK,
      .deadline = now_micros() + micros,
  };
  TSInput input = {.payload = &text_source, .read = read_source};
  TSTree *tree = NULL;
  enter(language);
  int left = guarded(self->parser, input, text_source.deadline, &tree);
  leave(language);
  if (left == LEFT_ABORT) {
    self->parser = NULL; // nothing is known about its state: lost
    return FLAT_ABORT;
  }
  if (left == LEFT_BUDGET) {
    ts_parser_delete(self->parser); // left while reading, where all is in order
    self->parser = NULL;
    return FLAT_LIMIT;
  }
  // Without the reset a parse that hit its limit is resumed by the next one,
  // which then answers with this text's tree.
  ts_parser_reset(self->parser);
  if (!tree) return FLAT_LIMIT;
  __atomic_add_fetch(&live_trees, 1, __ATOMIC_RELAXED);
  bool done = flatten(self, ts_tree_root_node(tree), keep, keep_count);
  ts_tree_delete(tree);
  __atomic_sub_fetch(&live_trees, 1, __ATOMIC_RELAXED);
  return done ? FLAT_DONE : FLAT_MEMORY;
}
