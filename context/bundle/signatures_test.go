package bundle

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

var kilns = map[string]string{
	"kiln/kiln.go": `package kiln

import "fmt"

// Kiln burns porcelain.
type Kiln struct{ heat int }

// Quench cools the porcelain of a cracked glaze slowly: the glaze of the porcelain cracks where it is quenched at once.
func (k *Kiln) Quench(glaze string, crack int) error {
	if crack > 3 {
		return notify(glaze, crack)
	}
	k.Log("quenched the cracked glaze")
	fmt.Println("glaze cracked, call Phantom() now")
	return soak(k, func() int { return crack })
}

` + filler("Load") + filler("Unload") + filler("Log") + `// Open opens it.
func (k *Kiln) Open(
	door string,
	wide bool,
) (n int, err error) {
	return 0, nil
}
`,
	"kiln/soak.go":     "package kiln\n\nfunc soak(k *Kiln, f func() int) error { return nil }\n",
	"report/report.go": "package report\n\n// notify writes.\nfunc notify(glaze string, crack int) error { return nil }\n",
	"other/a.go":       "package other\n\nfunc Phantom() {}\n",
	"other/b.go":       "package other\n\nfunc Println() {}\n",
}

// filler is a method too long to be shown with others.
func filler(name string) string {
	return "// " + name + " is ordinary.\nfunc (k *Kiln) " + name + "(what string) {\n" + strings.Repeat("\tk.heat += len(what) * 17\n", 80) + "}\n\n"
}

// TestSignatures checks that the best match is accompanied by its siblings and what it calls, one
// line each, if there is room.
func TestSignatures(t *testing.T) {
	texts := shop()
	maps.Copy(texts, kilns)
	src := sources(newWorkspace(t, texts).index())
	req := request("what does `Quench` do?", 4000)
	req.Fill = retrieve.Relevant
	signed := func(b *Bundle) (it item.Item, text string) {
		for _, it := range b.Items {
			if strings.HasPrefix(it.ID, "signatures:") {
				return it, b.Text[it.Span.Start:it.Span.End]
			}
		}
		return item.Item{}, ""
	}
	b := made(t, req, src)
	check(t, req, b)
	it, text := signed(b)
	if it.Kind != "code" || it.Path != "kiln/kiln.go" || it.Format != "summary" || it.Score <= 0 || it.Score >= 1 {
		t.Fatalf("the signatures are %+v in %+v", it, b.Items)
	}
	for _, want := range []string{
		": func (k *Kiln) Load(what string)\n", ": func (k *Kiln) Log(what string)\n", ": func (k *Kiln) Open( door string, wide bool, ) (n int, err error)\n",
		"\nkiln/soak.go:3: func soak(k *Kiln, f func() int) error { return nil }\n", "\nreport/report.go:4: func notify(glaze string, crack int) error { return nil }\n",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not there once in\n%s", want, text)
		}
	}
	for _, not := range []string{"Quench(", "Phantom", "k.heat", "Println"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in\n%s", not, text)
		}
	}
	req.Fill = retrieve.Full
	if _, text := signed(made(t, req, src)); text != "" {
		t.Errorf("a full bundle has\n%s", text)
	}
	req.Fill = retrieve.Relevant
	req.Budget = b.Tokens - it.Tokens + 10
	less := made(t, req, src)
	if _, text := signed(less); text != "" || less.Tokens > req.Budget {
		t.Errorf("without room, of %d tokens: %s", less.Tokens, text)
	}
	req.Budget, req.Prompt = 4000, "what is 17 % of 2340?"
	if _, text := signed(made(t, req, src)); text != "" {
		t.Errorf("beside nothing: %s", text)
	}
}

func TestCalls(t *testing.T) {
	for code, want := range map[string][]string{
		"": nil, "f(g(x), h.i( y ))": {"f", "g", "h.i"}, "(a)(b)": nil, "größe(1)": {"größe"}, "x = y\n": nil, "if (a) call_it(b2(c))": {"call_it", "b2"},
		"a->b() + c::d() + e.f().g()": {"a.b", "c.d", "e.f", "g"},
	} {
		var got []string
		calls([]byte(code), func(owner, name string) bool {
			got = append(got, strings.TrimPrefix(owner+"."+name, "."))
			return true
		})
		if !slices.Equal(got, want) {
			t.Errorf("%q calls %q, want %q", code, got, want)
		}
	}
}
