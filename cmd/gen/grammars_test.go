package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPackedGrammars checks that the packed grammars are from the module's version, and that there
// are no others. The test of package packed compares the tables with the module's.
func TestPackedGrammars(t *testing.T) {
	l, err := newLinker(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"alloc.h", "array.h", "grammars.go", "packed.go", "packed_test.go", "parser.h"}
	for _, name := range packed {
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
		if mark := " of " + grammarModule + " " + l.modules[grammarModule].Version + ". DO NOT EDIT."; !strings.HasSuffix(head, mark) {
			t.Errorf("%s is of another version: %s\nwrite it again with: go run ./cmd/gen grammars", e.Name(), head)
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
