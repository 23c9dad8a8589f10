package chunk

import (
	"slices"
	"testing"
)

// FuzzGrammars holds every grammar to what callers rely on: the language is chosen by a number, so
// that all of them are tried equally, and a sample of each is a seed.
func FuzzGrammars(f *testing.F) {
	languages := grammarNames()
	for name, src := range samples(f) {
		if i := slices.Index(languages, Language(name, src)); i >= 0 {
			f.Add(uint8(i), src)
		}
	}
	p := NewParser(Options{TargetTokens: goldenTarget})
	f.Cleanup(p.Close)
	f.Fuzz(func(t *testing.T, language uint8, src []byte) {
		name := fileOf(languages[int(language)%len(languages)])
		if len(src) > 1<<14 {
			return // what takes long says little
		}
		if masked := known(Language(name, src), src); len(masked) != len(src) {
			t.Fatalf("%s: %d bytes became %d", name, len(src), len(masked))
		}
		if err := verify(src, p.Parse(name, src), goldenTarget); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := liveTrees(); n != 0 {
			t.Fatalf("%d trees are left", n)
		}
	})
}

// grammarNames are the languages that have a grammar.
func grammarNames() []string {
	var out []string
	for language := range specs {
		if grammarOf(language) != nil {
			out = append(out, language)
		}
	}
	slices.Sort(out)
	return out
}

// fileOf is a name that a file of a language has.
func fileOf(language string) string {
	if language == "dockerfile" {
		return "Dockerfile"
	}
	name := ""
	for ext, of := range byExtension {
		if of == language {
			name = max(name, "x"+ext)
		}
	}
	return name
}

// TestSeedsOfEveryGrammar: the samples that fuzzing begins with have one of every language.
func TestSeedsOfEveryGrammar(t *testing.T) {
	seeded := map[string]bool{}
	for name, src := range samples(t) {
		seeded[Language(name, src)] = true
	}
	languages := grammarNames()
	if len(languages) < 28 {
		t.Errorf("only %d languages have a grammar: %q", len(languages), languages)
	}
	for _, language := range languages {
		if !seeded[language] {
			t.Errorf("no sample is %s", language)
		}
		if got := Language(fileOf(language), nil); got != language {
			t.Errorf("%s is taken for %q", fileOf(language), got)
		}
	}
}
