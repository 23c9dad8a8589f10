package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackedGrammars checks that the packed grammars are from the versions of the module and of
// npm's packages that are named, and that there are no others.
func TestPackedGrammars(t *testing.T) {
	l, err := newLinker(root)
	if err != nil {
		t.Fatal(err)
	}
	module := grammarModule + " " + l.modules[grammarModule].Version
	origins := map[string]string{} // by grammar or header
	for _, name := range slices.Concat(slices.Collect(maps.Values(packed)), []string{parserHeader, "array.h"}) {
		origins[name] = module
	}
	for name, g := range npmGrammars {
		origins[name] = g.origin()
	}
	dir := filepath.Join(root, filepath.FromSlash(packedFolder))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if slices.Contains([]string{"alloc.h", "language.c", "language.h", "packed.go", "packed_test.go"}, e.Name()) {
			continue
		}
		names = append(names, e.Name())
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		if _, mark, ok := strings.Cut(head, " of "); ok {
			head = strings.TrimSuffix(mark, ". DO NOT EDIT.")
		}
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".tables"), "_scanner.c")
		if origin := origins[name]; head != origin {
			t.Errorf("%s is of %q, want %q\nwrite it again with: go run ./cmd/gen grammars %s", e.Name(), head, origin, name)
		}
	}
	for name := range origins {
		if !slices.Contains(names, name+".tables") && filepath.Ext(name) != ".h" {
			t.Errorf("no tables of %s", name)
		}
	}
}

// TestDump reads a small parser as it is packed, and follows its lexer.
func TestDump(t *testing.T) {
	l, err := newLinker(root)
	if err != nil {
		t.Fatal(err)
	}
	module, err := l.moduleFolder(grammarModule)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "parser.c"), []byte(smallParser), 0o600); err != nil {
		t.Fatal(err)
	}
	p := packer{module: module, work: t.TempDir()}
	parts, err := p.dump(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]uint32, headNumbers)
	if _, err := binary.Decode(parts.numbers, binary.LittleEndian, numbers); err != nil {
		t.Fatal(err)
	}
	if want := []uint32{14, 3, 0, 3, 0, 2, 1, 1, 1, 0, 0}; !slices.Equal(numbers, want) {
		t.Errorf("the numbers are %d, want %d", numbers, want)
	}
	if names, fields := string(parts.arrays[4]), string(parts.arrays[5]); names != "end\x00word\x00!\x00" || fields != "\x00name\x00" {
		t.Errorf("the names are %q, those of fields %q", names, fields)
	}
	if parts.keywords != nil || len(parts.lexer.states) != 4 {
		t.Fatalf("keywords %v, %d states", parts.keywords, len(parts.lexer.states))
	}
	lexer := lexerTable(t, parts.lexer.table())
	for _, c := range []struct {
		state  int
		char   int32
		next   int
		accept int
	}{
		{0, ' ', 0 | 1<<15, noState}, {0, '\'', 3, noState}, {0, '!', 2, noState}, {0, 'a', 1, noState}, {0, 'z', 1, noState}, {0, '{', noState, noState},
		{0, 0x3b1, 1, noState}, {0, 0x3b2, noState, noState}, {0, -1, noState, noState}, {0, 0, noState, noState},
		{1, 'b', 1, 1}, {1, ' ', noState, 1}, {2, '!', noState, 2}, {3, -1, 3, noState}, {3, 0, noState, noState}, {3, 0x10ffff, 3, noState}, {3, '\n', noState, noState},
	} {
		if next, accept := lexer.at(c.state, c.char); next != c.next || accept != c.accept {
			t.Errorf("state %d at %q: next %d, accepts %d; want %d, %d", c.state, c.char, next, accept, c.next, c.accept)
		}
	}
	if lexer.atEnd[0] != 2 || lexer.atEnd[1] != noState {
		t.Errorf("at the end %d", lexer.atEnd)
	}
}

// readLexing is a lexer as package packed reads it.
type readLexing struct {
	starts                                []int32
	classOf, ascii, accepted, atEnd, next []uint16
}

func lexerTable(t *testing.T, table []byte) readLexing {
	t.Helper()
	var counts [3]uint32
	r := bytes.NewReader(table)
	read := func(data any) {
		if err := binary.Read(r, binary.LittleEndian, data); err != nil {
			t.Fatal(err)
		}
	}
	read(&counts)
	states, classes, ranges := counts[0], counts[1], counts[2]
	out := readLexing{
		make([]int32, ranges), make([]uint16, ranges), make([]uint16, asciiChars),
		make([]uint16, states), make([]uint16, states), make([]uint16, states*classes),
	}
	for _, part := range []any{out.starts, out.classOf, out.ascii, out.accepted, out.atEnd, out.next} {
		read(part)
	}
	if r.Len() > 0 {
		t.Fatalf("%d bytes are left", r.Len())
	}
	return out
}

// at returns where a state goes at a character, and what it accepts.
func (l readLexing) at(state int, c int32) (next, accepted int) {
	at, found := slices.BinarySearch(l.starts, c)
	if !found {
		at--
	}
	class := l.classOf[at]
	if c >= 0 && c < asciiChars && l.ascii[c] != class {
		return -1, -1
	}
	return int(l.next[state*len(l.next)/len(l.accepted)+int(class)]), int(l.accepted[state])
}

// smallParser is written as tree-sitter writes parsers, and does not parse.
const smallParser = `#define LANGUAGE_VERSION 14

static const char * const ts_symbol_names[] = {"end", "word", "!"};
static const char * const ts_field_names[] = {NULL, "name"};
static const TSSymbol ts_symbol_map[] = {0, 1, 2};
static const TSSymbolMetadata ts_symbol_metadata[3];
static const TSFieldMapSlice ts_field_map_slices[1];

static TSCharacterRange sym_word_character_set_1[] = {
  {'a', 'z'}, {0x3b1, 0x3b1},
};

static bool ts_lex(TSLexer *lexer, TSStateId state) {
  START_LEXER();
  eof = lexer->eof(lexer);
  switch (state) {
    case 0:
      if (eof) ADVANCE(2);
      ADVANCE_MAP(
        '!', 2,
        '\'', 3,
      );
      if (('\t' <= lookahead && lookahead <= '\r') ||
          lookahead == ' ') SKIP(0);
      if (set_contains(sym_word_character_set_1, 2, lookahead)) ADVANCE(1);
      END_STATE();
    case 1:
      ACCEPT_TOKEN(1);
      if (('a' <= lookahead && lookahead <= 'z')) ADVANCE(1);
      END_STATE();
    case 2:
      ACCEPT_TOKEN(2);
      END_STATE();
    case 3:
      if (lookahead != 0 &&
          lookahead != '\n') ADVANCE(3);
      END_STATE();
    default:
      return false;
  }
}

static const TSLexMode ts_lex_modes[2];
static const uint16_t ts_parse_table[1][3];
static const uint16_t ts_small_parse_table[4];
static const uint32_t ts_small_parse_table_map[1];
static const TSParseActionEntry ts_parse_actions[1];
static const TSStateId ts_primary_state_ids[2];

const TSLanguage *tree_sitter_x(void) {
  static const TSLanguage language = {
    .version = LANGUAGE_VERSION, .symbol_count = 3, .token_count = 3, .state_count = 2, .large_state_count = 1, .production_id_count = 1, .field_count = 1,
    .symbol_names = ts_symbol_names, .field_names = ts_field_names, .symbol_metadata = ts_symbol_metadata, .public_symbol_map = ts_symbol_map,
    .field_map_slices = ts_field_map_slices, .lex_modes = ts_lex_modes, .lex_fn = ts_lex, .primary_state_ids = ts_primary_state_ids,
  };
  return &language;
}
`

// TestCuts: whatever a lexer names begins a range, with the character behind it; numbers elsewhere
// do not.
func TestCuts(t *testing.T) {
	got, err := cutsOf([]byte(smallParser + "\nstatic const uint16_t other[] = {\n  4711,\n};\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []int32{-1, 0, '\t', '\r' + 1, ' ', '!', '!' + 1, '\'', 'a', 'z' + 1, 0x3b1, 0x3b2} {
		if !slices.Contains(got, c) {
			t.Errorf("no cut at %d", c)
		}
	}
	if !slices.IsSorted(got) || slices.Contains(got, 4711) {
		t.Errorf("the cuts are %d", got)
	}
	if _, err := cutsOf([]byte("static bool ts_lex(x) {\n  if (lookahead == '\\q') ADVANCE(1);\n}\n")); err == nil {
		t.Error("no error for a character that C does not have")
	}
}

// TestDowngraded: of a parser of version 15 everything is left that version 14 has, and nothing
// else; one with reserved words is refused.
func TestDowngraded(t *testing.T) {
	const source = `#define LANGUAGE_VERSION 15

static const TSCharacterRange sym_identifier_character_set_1[] = {
  {'A', 'Z'},
};

static const TSMapSlice ts_field_map_slices[2] = {
  [1] = {.index = 0, .length = 1},
};

static const TSSymbol ts_supertype_symbols[SUPERTYPE_COUNT] = {
  sym_expression,
};

static const TSLexerMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0},
};

const TSLanguage *tree_sitter_x(void) {
  static const TSLanguage language = {
    .abi_version = LANGUAGE_VERSION,
    .supertype_count = SUPERTYPE_COUNT,
    .symbol_names = ts_symbol_names,
    .supertype_symbols = ts_supertype_symbols,
    .lex_modes = (const void*)ts_lex_modes,
    .name = "x",
    .max_reserved_word_set_size = 0,
    .metadata = {
      .major_version = 1,
    },
  };
  return &language;
}
`
	const want = `#define LANGUAGE_VERSION 14

static TSCharacterRange sym_identifier_character_set_1[] = {
  {'A', 'Z'},
};

static const TSFieldMapSlice ts_field_map_slices[2] = {
  [1] = {.index = 0, .length = 1},
};

static const TSLexMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0},
};

const TSLanguage *tree_sitter_x(void) {
  static const TSLanguage language = {
    .version = LANGUAGE_VERSION,
    .symbol_names = ts_symbol_names,
    .lex_modes = ts_lex_modes,
  };
  return &language;
}
`
	got, err := downgraded([]byte(source))
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if again, err := downgraded(got); err != nil || !bytes.Equal(again, got) {
		t.Errorf("version 14: %v, got\n%s", err, again)
	}
	for _, bad := range []string{
		strings.Replace(source, "size = 0", "size = 7", 1), strings.Replace(source, "VERSION 15", "VERSION 16", 1), "",
	} {
		if _, err := downgraded([]byte(bad)); err == nil {
			t.Errorf("no error for\n%s", bad)
		}
	}
}

// TestUnpackSources: of an archive only C sources are written, and none outside of the folder.
func TestUnpackSources(t *testing.T) {
	var archive bytes.Buffer
	z := gzip.NewWriter(&archive)
	w := tar.NewWriter(z)
	for _, name := range []string{"package/src/parser.c", "package/src/tree_sitter/parser.h", "package/index.js", "package/../../out.c", "top.c"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(name))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "in")
	if err := unpackSources(&archive, dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, path[len(dir):])
		}
		return err
	})
	if want := []string{"/src/parser.c", "/src/tree_sitter/parser.h"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q: %v", got, want, err)
	}
}
