package translate

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadsOtherLanguages(t *testing.T) {
	for _, c := range []struct{ text, language, means string }{
		{"Wo wird die Umgebungsvariable gelesen?", "de", "environment variable read"},
		{"die Datei, die Fehlermeldungen formatiert", "de", "file error message format"},
		{"¿dónde se guarda el nombre del usuario?", "es", "name user"},
		{"où la valeur par défaut est-elle analysée ?", "fr", "parse"},
		{"onde a resposta do servidor é comprimida?", "pt", "response server"},
		{"dove viene letto il file di configurazione?", "it", "configuration"},
		{"gdzie sprawdzane są uprawnienia użytkownika?", "pl", "check permissions user"},
		{"где проверяется пароль пользователя?", "ru", "password user"},
		{"リクエストのヘッダーはどこで解析されますか", "ja", "request header pars"},
		{"循环链接在哪里检查?", "zh", "loop link check"},
		{"설정 파일은 어디에서 읽나요?", "ko", "set file"},
	} {
		r := Read(c.text)
		if r.Language != c.language {
			t.Errorf("%q is taken for %q", c.text, r.Language)
		}
		for want := range strings.FieldsSeq(c.means) {
			if !slices.ContainsFunc(r.Words, func(w Word) bool {
				return slices.ContainsFunc(w.Means, func(m Meaning) bool { return strings.HasPrefix(m.Word, want) })
			}) {
				t.Errorf("%q: nothing means %s: %v", c.text, want, r.Words)
			}
		}
	}
}

func TestEnglishStaysAsItIs(t *testing.T) {
	for _, text := range []string{
		"where is the session stored?", "why does parseFlags return nil", "make it faster", "who strips the leading ./ from paths",
		"rename Vector.norm to length", "die on fatal errors", "a more general cache", "timeout",
	} {
		if r := Read(text); r.Language != English || len(r.Words) > 0 {
			t.Errorf("%q is read as %q: %v", text, r.Language, r.Words)
		}
	}
	for _, text := range []string{"", " ?! ", "x", "1234", "snake_case_42"} {
		if r := Read(text); r.Language != "" || len(r.Words) > 0 {
			t.Errorf("%q is read as %q: %v", text, r.Language, r.Words)
		}
	}
}

func TestTellsWhatProgramsSay(t *testing.T) {
	for _, c := range [][2]string{
		{"how is the configuration file parsed?", "my risotto turns out mushy, which cheese goes with lentils?"},
		{"wo wird die Konfiguration gelesen?", "Was koche ich heute Abend mit Lauch und Kartoffeln?"},
		{"在哪里检查配置文件?", "红烧肉怎么做好吃呢"},
	} {
		if about, off := Read(c[0]), Read(c[1]); about.Strange >= off.Strange {
			t.Errorf("%q is %.2f strange, %q %.2f", c[0], about.Strange, c[1], off.Strange)
		}
	}
}

func TestTable(t *testing.T) {
	languages := strings.Fields(find(""))
	if !slices.Contains(languages, English) || len(languages) < 10 {
		t.Fatalf("languages %v", languages)
	}
	last := ""
	for line := range strings.Lines(table) {
		key, entry, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !found || key < last || len(key)+1 > keyMost || !utf8.ValidString(line) {
			t.Fatalf("line %q behind key %q", line, last)
		}
		if last = key; key == "" {
			continue
		}
		if find(key) != entry {
			t.Fatalf("%q is not found", key)
		}
		for field := range strings.SplitSeq(entry, "\t") {
			language, rest, _ := strings.Cut(field, ":")
			number, means, _ := strings.Cut(rest, " ")
			if _, err := strconv.Atoi(number); err != nil || !slices.Contains(languages, language) {
				t.Fatalf("%q: field %q", key, field)
			}
			if means != "" && len(meanings(key, language)) != strings.Count(means, "=") {
				t.Fatalf("%q: meanings %q", key, means)
			}
		}
	}
	if find("no such key") != "" || find("\xff") != "" {
		t.Error("finds what is not there")
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"wo ist das?", "リクエストー", "\xff\xfe", "ーー", "가나다라마", "e\u0301te\u0301", "\u0301x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Read(text)
		at := 0
		for _, w := range r.Words {
			if w.Start < at || w.End <= w.Start || w.End > len(text) || len(w.Means) == 0 {
				t.Fatalf("%q: %+v", text, r.Words)
			}
			at = w.End
		}
		if !(r.Strange >= 0 && r.Strange <= 1 && r.Rarity >= 0) {
			t.Fatalf("%q: strange %f, rarity %f", text, r.Strange, r.Rarity)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read("où sont analysées les valeurs d'un paramètre qui viennent d'une variable d'environnement ?")
	}
}
