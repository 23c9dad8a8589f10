#include "language.h"

#include <string.h>

#include "parser.h"

// The grammars, by the names of their C functions: those with a scanner of their own, in
// NAME_scanner.c, those with that of another, and those without.
#define SCANNING(X) \
  X(bash) X(c_sharp) X(cpp) X(css) X(dart) X(dockerfile) X(elixir) X(haskell) X(hcl) X(html) X(javascript) \
  X(julia) X(kotlin) X(lua) X(ocaml) X(php) X(python) X(r) X(ruby) X(rust) \
  X(scala) X(sql) X(swift) X(toml) X(typescript) X(yaml)
#define SHARING(X) X(ocaml_interface, ocaml) X(tsx, typescript)
#define PLAIN(X) X(c) X(go) X(java) X(proto) X(zig)

// What a file begins with. Offsets count from there; 0 is a part that the grammar does not have.
// cmd/gen writes files in this form, for little-endian machines.
enum part {
  PARSE_TABLE, SMALL_PARSE_TABLE, SMALL_PARSE_TABLE_MAP, PARSE_ACTIONS, SYMBOL_NAMES, FIELD_NAMES,
  FIELD_MAP_SLICES, FIELD_MAP_ENTRIES, SYMBOL_METADATA, PUBLIC_SYMBOL_MAP, ALIAS_MAP,
  ALIAS_SEQUENCES, LEX_MODES, EXTERNAL_STATES, EXTERNAL_SYMBOLS, PRIMARY_STATE_IDS, LEXER,
  KEYWORD_LEXER, PARTS
};
typedef struct {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count, state_count,
      large_state_count, production_id_count, field_count, max_alias_sequence_length,
      keyword_capture_token;
  uint32_t at[PARTS];
} Header;

// A lexer is a deterministic automaton over classes of characters that no state tells apart.
typedef struct {
  uint32_t classes, ranges;
  const uint16_t *ascii;       // by character below 128: its class
  const int32_t *starts;       // of the ranges of all characters, ascending; the first is -1, which
                               // stands for bytes that are no UTF-8
  const uint16_t *class_of;    // by range
  const uint16_t *accepted;    // by state: the token that ends there, or NONE
  const uint16_t *at_end;      // by state: the next state at the end of the text, or NONE
  const uint16_t *next;        // by state and class: the next state, or NONE
} Lexer;

enum { NONE = 0xffff, SKIPPED = 0x8000, ASCII = 128 }; // SKIPPED is added to a next state

static uint16_t class_of(const Lexer *l, int32_t c) {
  if (c >= 0 && c < ASCII) return l->ascii[c];
  uint32_t from = 0;
  for (uint32_t to = l->ranges; to - from > 1;) {
    const uint32_t middle = (from + to) / 2;
    if (l->starts[middle] <= c) from = middle;
    else to = middle;
  }
  return l->class_of[from];
}

// Does what the lexer that tree-sitter generates does.
static bool lex(const Lexer *l, TSLexer *text, TSStateId state) {
  for (bool found = false;;) {
    if (l->accepted[state] != NONE) {
      found = true;
      text->result_symbol = l->accepted[state];
      text->mark_end(text);
    }
    const int32_t c = text->lookahead;
    const uint16_t next = c == 0 && text->eof(text) ? l->at_end[state] : l->next[state * l->classes + class_of(l, c)];
    if (next == NONE) return found;
    text->advance(text, (next & SKIPPED) != 0);
    state = next & ~SKIPPED;
  }
}

// The runtime calls a language's lexer without saying which language it is: each has functions of
// its own.
typedef struct {
  const char *name;
  Lexer *lexers; // two, the second of keywords
  bool (*lex)(TSLexer *, TSStateId);
  bool (*lex_keywords)(TSLexer *, TSStateId);
  void *(*create)(void);
  void (*destroy)(void *);
  bool (*scan)(void *, TSLexer *, const bool *);
  unsigned (*serialize)(void *, char *);
  void (*deserialize)(void *, const char *, unsigned);
} Grammar;

#define LEXING(name, ...) \
  static Lexer name##_lexers[2]; \
  static bool name##_lex(TSLexer *text, TSStateId state) { return lex(&name##_lexers[0], text, state); } \
  static bool name##_lex_keywords(TSLexer *text, TSStateId state) { return lex(&name##_lexers[1], text, state); }
#define SCANNER(name) \
  void *packed_##name##_external_scanner_create(void); \
  void packed_##name##_external_scanner_destroy(void *); \
  bool packed_##name##_external_scanner_scan(void *, TSLexer *, const bool *); \
  unsigned packed_##name##_external_scanner_serialize(void *, char *); \
  void packed_##name##_external_scanner_deserialize(void *, const char *, unsigned);
SCANNING(LEXING)
SCANNING(SCANNER)
SHARING(LEXING)
PLAIN(LEXING)

#define LEXED(name) #name, name##_lexers, name##_lex, name##_lex_keywords
#define SHARED(name, owner) \
  {LEXED(name), packed_##owner##_external_scanner_create, packed_##owner##_external_scanner_destroy, \
   packed_##owner##_external_scanner_scan, packed_##owner##_external_scanner_serialize, packed_##owner##_external_scanner_deserialize},
#define SCANNED(name) SHARED(name, name)
#define UNSCANNED(name) {LEXED(name), NULL, NULL, NULL, NULL, NULL},
static const Grammar grammars[] = {SCANNING(SCANNED) SHARING(SHARED) PLAIN(UNSCANNED)};

static void set_lexer(Lexer *l, const uint8_t *data) {
  const uint32_t *counts = (const uint32_t *)data;
  const uint32_t states = counts[0];
  l->classes = counts[1];
  l->ranges = counts[2];
  l->starts = (const int32_t *)(counts + 3);
  l->class_of = (const uint16_t *)(l->starts + l->ranges);
  l->ascii = l->class_of + l->ranges;
  l->accepted = l->ascii + ASCII;
  l->at_end = l->accepted + states;
  l->next = l->at_end + states;
}

// Returns count names that follow each other in data. They stay as long as the tables.
static const char **names(const char *data, size_t count) {
  const char **list = malloc(count * sizeof *list);
  if (!list) abort();
  for (size_t i = 0; i < count; i++) {
    list[i] = data;
    data += strlen(data) + 1;
  }
  return list;
}

static const char **field_names(const char *data, size_t count) {
  if (count == 0) return NULL;
  const char **list = names(data, count + 1);
  list[0] = NULL; // fields count from 1
  return list;
}

const TSLanguage *packed_language(const char *grammar, const uint8_t *tables) {
  const Grammar *g = grammars, *const end = grammars + sizeof grammars / sizeof *grammars;
  while (g < end && strcmp(g->name, grammar) != 0) g++;
  if (g == end) return NULL;
  const Header *h = (const Header *)tables;
  const void *parts[PARTS];
  for (int i = 0; i < PARTS; i++) parts[i] = h->at[i] ? tables + h->at[i] : NULL;
  set_lexer(&g->lexers[0], parts[LEXER]);
  if (parts[KEYWORD_LEXER]) set_lexer(&g->lexers[1], parts[KEYWORD_LEXER]);
  TSLanguage *l = malloc(sizeof *l);
  if (!l) abort();
  *l = (TSLanguage){
    .version = h->version,
    .symbol_count = h->symbol_count,
    .alias_count = h->alias_count,
    .token_count = h->token_count,
    .external_token_count = h->external_token_count,
    .state_count = h->state_count,
    .large_state_count = h->large_state_count,
    .production_id_count = h->production_id_count,
    .field_count = h->field_count,
    .max_alias_sequence_length = h->max_alias_sequence_length,
    .parse_table = parts[PARSE_TABLE],
    .small_parse_table = parts[SMALL_PARSE_TABLE],
    .small_parse_table_map = parts[SMALL_PARSE_TABLE_MAP],
    .parse_actions = parts[PARSE_ACTIONS],
    .symbol_names = names(parts[SYMBOL_NAMES], h->symbol_count + h->alias_count),
    .field_names = field_names(parts[FIELD_NAMES], h->field_count),
    .field_map_slices = parts[FIELD_MAP_SLICES],
    .field_map_entries = parts[FIELD_MAP_ENTRIES],
    .symbol_metadata = parts[SYMBOL_METADATA],
    .public_symbol_map = parts[PUBLIC_SYMBOL_MAP],
    .alias_map = parts[ALIAS_MAP],
    .alias_sequences = parts[ALIAS_SEQUENCES],
    .lex_modes = parts[LEX_MODES],
    .lex_fn = g->lex,
    .keyword_lex_fn = parts[KEYWORD_LEXER] ? g->lex_keywords : NULL,
    .keyword_capture_token = h->keyword_capture_token,
    .external_scanner = {
      .states = parts[EXTERNAL_STATES],
      .symbol_map = parts[EXTERNAL_SYMBOLS],
      .create = g->create,
      .destroy = g->destroy,
      .scan = g->scan,
      .serialize = g->serialize,
      .deserialize = g->deserialize,
    },
    .primary_state_ids = parts[PRIMARY_STATE_IDS],
  };
  return l;
}

bool packed_is_lua(const TSLanguage *l) { return l->external_scanner.scan == packed_lua_external_scanner_scan; }
