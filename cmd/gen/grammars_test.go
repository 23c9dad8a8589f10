package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackedGrammars checks that the packed grammars are from the versions of the module and of
// npm's packages that are named, and that there are no others. The test of package packed compares
// the tables with the module's.
func TestPackedGrammars(t *testing.T) {
	l, err := newLinker(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"alloc.h", "array.h", "grammars.go", "packed.go", "packed_test.go", "parser.h"}
	for _, name := range slices.Concat(slices.Collect(maps.Values(packed)), slices.Collect(maps.Keys(npmGrammars))) {
		want = append(want, name+".c", name+".tables", name+"_scanner.c")
	}
	slices.Sort(want)
	dir := filepath.Join(root, filepath.FromSlash(packedFolder))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
		if ext := filepath.Ext(e.Name()); ext != ".c" && ext != ".h" || e.Name() == "alloc.h" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(string(text), "\n")
		origin := grammarModule + " " + l.modules[grammarModule].Version
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".c"), "_scanner")
		if g, ok := npmGrammars[name]; ok {
			origin = g.origin()
		}
		if mark := " of " + origin + ". DO NOT EDIT."; !strings.HasSuffix(head, mark) {
			t.Errorf("%s is of another version: %s\nwrite it again with: go run ./cmd/gen grammars %s", e.Name(), head, name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", packedFolder, got, want)
	}
}

func TestCutParser(t *testing.T) {
	source := "#include \"tree_sitter/parser.h\"\n\n"
	init := ""
	for _, table := range tables {
		source += "static const " + table.element + " " + table.array + "[] = {\n  [0] = 1,\n};\n\n"
		init += "    ." + table.field + " = " + table.array + ",\n"
	}
	source += "TS_PUBLIC const TSLanguage *tree_sitter_x(void) {\n  static const TSLanguage language = {\n" + init + "  };\n  return &language;\n}\n"
	got, err := cutParser([]byte(source), "x", []int{8, 16, 8, 8, 8, 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"#include \"parser.h\"\n", "const size_t packed_x_size = 56;\n", "const TSLanguage *packed_x(const uint8_t *tables) {\n  static TSLanguage language = {\n  };\n",
		"  language.small_parse_table_map = (const uint32_t *)(tables + 24);\n",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(string(got), "[0] = 1") {
		t.Errorf("a table is left in\n%s", got)
	}
	if _, err := cutParser([]byte(strings.Replace(source, "ts_lex_modes[]", "other[]", 1)), "x", make([]int, 6)); err == nil {
		t.Error("a parser without a table is cut")
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
