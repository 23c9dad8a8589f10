// Prints what a generated tree-sitter parser consists of, for cmd/gen, which compiles it with
//
//	HEADER    the parser.h that it was generated for, of version 13 or 14
//	PARSER    the grammar's parser.c
//	LANGUAGE  the function that returns its language
//	CUTS      a list of characters in ascending order, between which no lexer tells any apart
//
// It prints eleven numbers, then each part as its size and its bytes, all numbers of four bytes: the
// arrays in the order of enum part in language.c of package packed, then the two lexers. A lexer is its
// number of states and, by state, the token that the state accepts, the next state at the end of the
// text, and that at each of CUTS: 16 bits each, NONE where there is none. SKIP is added to the next
// state where the character belongs to no token.
#include <stdio.h>
#include HEADER

#define NONE 0xffff
#define SKIP_BIT 0x8000

static bool at_end, is_state;
static uint16_t next_state, accepted;

// A state is looked at once: it notes where it would go instead of going there.
#undef START_LEXER
#undef ADVANCE
#undef ADVANCE_MAP
#undef SKIP
#undef ACCEPT_TOKEN
#undef END_STATE
#define START_LEXER()                   \
  bool eof = false;                     \
  int32_t lookahead = lexer->lookahead; \
  (void)eof;
#define TAKE(state)      \
  {                      \
    next_state = state;  \
    is_state = true;     \
    return false;        \
  }
#define ADVANCE(state) TAKE(state)
#define SKIP(state) TAKE((state) | SKIP_BIT)
#define ADVANCE_MAP(...)                                             \
  {                                                                  \
    static const uint16_t map[] = {__VA_ARGS__};                     \
    for (uint32_t i = 0; i < sizeof(map) / sizeof(map[0]); i += 2) { \
      if (map[i] == lookahead) TAKE(map[i + 1])                      \
    }                                                                \
  }
#define ACCEPT_TOKEN(symbol) accepted = symbol;
#define END_STATE() TAKE(NONE)

#include PARSER

static const int32_t cuts[] = {
#include CUTS
};
enum { CUT_COUNT = sizeof cuts / sizeof cuts[0], MOST_STATES = SKIP_BIT - 1 };

static void number(uint32_t n) { fwrite(&n, sizeof n, 1, stdout); }

static void part(const void *data, size_t size) {
  number(size);
  fwrite(data, 1, size, stdout);
}

static void names(const char *const *list, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) size += list[i] ? strlen(list[i]) + 1 : 1;
  number(size);
  for (size_t i = 0; i < count; i++) fwrite(list[i] ? list[i] : "", 1, list[i] ? strlen(list[i]) + 1 : 1, stdout);
}

static bool is_end(const TSLexer *lexer) { return at_end; }

typedef bool (*lexing)(TSLexer *, TSStateId);

// Returns where a state goes at a character.
static uint16_t follow(lexing lex, TSStateId state, int32_t c) {
  TSLexer lexer = {.lookahead = c, .eof = is_end};
  accepted = next_state = NONE;
  is_state = false;
  lex(&lexer, state);
  return next_state;
}

static uint32_t count_states(lexing lex) {
  uint32_t count = 0;
  for (uint32_t state = 0; state < MOST_STATES; state++) {
    follow(lex, state, 0);
    if (is_state) count = state + 1;
  }
  return count;
}

// Fails where a state tells characters apart that are not in CUTS; it tries some.
static void check(lexing lex, TSStateId state, const uint16_t *at_cuts) {
  uint32_t random = state + 1;
  for (int i = 0; i < 1000; i++) {
    random = random * 1664525 + 1013904223;
    int32_t c = (random >> 8) % (i % 2 ? 0x110000 : 0x3000);
    int from = 0;
    for (int to = CUT_COUNT; to - from > 1;) {
      int middle = (from + to) / 2;
      if (cuts[middle] <= c) from = middle;
      else to = middle;
    }
    if (follow(lex, state, c) != at_cuts[from]) {
      fprintf(stderr, "the state %d goes elsewhere at %d than at %d\n", state, c, cuts[from]);
      exit(1);
    }
  }
}

static void lexer(lexing lex) {
  if (!lex) {
    number(0);
    return;
  }
  uint32_t states = count_states(lex);
  number(4 + states * (2 + CUT_COUNT) * sizeof(uint16_t));
  number(states);
  static uint16_t at_cuts[CUT_COUNT];
  for (uint32_t state = 0; state < states; state++) {
    at_end = true;
    uint16_t end = follow(lex, state, 0);
    at_end = false;
    for (int i = 0; i < CUT_COUNT; i++) at_cuts[i] = follow(lex, state, cuts[i]);
    fwrite(&accepted, sizeof accepted, 1, stdout);
    fwrite(&end, sizeof end, 1, stdout);
    fwrite(at_cuts, sizeof at_cuts, 1, stdout);
    check(lex, state, at_cuts);
  }
}

extern const TSLanguage *LANGUAGE(void);

// Returns the size of a list of lists of aliases: symbol, count, aliases; 0 ends it.
static size_t alias_map_size(const uint16_t *map) {
  size_t n = 0;
  if (!map) return 0;
  while (map[n]) n += 2 + map[n + 1];
  return (n + 1) * sizeof *map;
}

int main(void) {
  const TSLanguage *l = LANGUAGE();
  const uint32_t numbers[] = {
    l->version, l->symbol_count, l->alias_count, l->token_count, l->external_token_count, l->state_count,
    l->large_state_count, l->production_id_count, l->field_count, l->max_alias_sequence_length, l->keyword_capture_token,
  };
  fwrite(numbers, sizeof numbers, 1, stdout);
  const size_t symbols = l->symbol_count + l->alias_count;
  size_t entries = 0, external_states = 0;
  for (uint32_t i = 0; l->field_count && i < l->production_id_count; i++) {
    const size_t end = l->field_map_slices[i].index + l->field_map_slices[i].length;
    if (end > entries) entries = end;
  }
  for (uint32_t i = 0; i < l->state_count; i++) {
    if (l->lex_modes[i].external_lex_state >= external_states) external_states = l->lex_modes[i].external_lex_state + 1;
  }
  part(ts_parse_table, sizeof ts_parse_table);
  part(ts_small_parse_table, sizeof ts_small_parse_table);
  part(ts_small_parse_table_map, sizeof ts_small_parse_table_map);
  part(ts_parse_actions, sizeof ts_parse_actions);
  names(l->symbol_names, symbols);
  names(l->field_names, l->field_count ? l->field_count + 1 : 0);
  part(l->field_map_slices, l->field_count ? l->production_id_count * sizeof *l->field_map_slices : 0);
  part(l->field_map_entries, entries * sizeof *l->field_map_entries);
  part(l->symbol_metadata, symbols * sizeof *l->symbol_metadata);
  part(l->public_symbol_map, symbols * sizeof *l->public_symbol_map);
  part(l->alias_map, alias_map_size(l->alias_map));
  part(l->alias_sequences, l->alias_sequences ? (size_t)l->production_id_count * l->max_alias_sequence_length * sizeof *l->alias_sequences : 0);
  part(l->lex_modes, l->state_count * sizeof *l->lex_modes);
  part(l->external_scanner.states, l->external_scanner.states ? external_states * l->external_token_count * sizeof(bool) : 0);
  part(l->external_scanner.symbol_map, l->external_scanner.symbol_map ? l->external_token_count * sizeof(TSSymbol) : 0);
#if LANGUAGE_VERSION < 14
  part(NULL, 0);
#else
  part(l->primary_state_ids, l->state_count * sizeof(TSStateId));
#endif
  lexer(l->lex_fn);
  lexer(l->keyword_lex_fn);
  return fflush(stdout);
}
