package bundle

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// halls is a workspace of equally relevant functions, too long to be shown whole together.
func halls() map[string]string {
	texts := map[string]string{"main.go": "package main\n\nfunc main() {}\n"}
	for _, place := range []string{"oslo", "porto", "quito"} {
		var b strings.Builder
		fmt.Fprintf(&b, "package %s\n\n// heat heats the kiln of %[1]s.\nfunc heat%[1]s() {\n", place)
		for i := range 30 {
			fmt.Fprintf(&b, "\tkiln%sStep%d(%d) // heated\n", place, i, i*i)
		}
		texts[place+"/kiln.go"] = b.String() + "}\n"
	}
	return texts
}

func formats(b *Bundle) map[string]string {
	out := map[string]string{}
	for _, it := range b.Items {
		if it.Kind == "code" && strings.HasSuffix(it.Path, "kiln.go") {
			out[it.Path] = it.Format
		}
	}
	return out
}

// TestIgnoredIsShortenedFirst checks that of pieces that do not all fit, the one is shortened that
// was ignored before, and that none is if all fit.
func TestIgnoredIsShortenedFirst(t *testing.T) {
	src := sources(newWorkspace(t, halls()).index())
	past := &memories{}
	src.Past = past
	req := request("where are the kiln steps run?", 4000)
	req.Fill = retrieve.Full
	all := made(t, req, src)
	if got := formats(all); len(got) != 3 {
		t.Fatalf("with room for all: %v", got)
	}
	size := 0
	for _, it := range all.Items {
		size += it.Tokens
	}
	for _, place := range []string{"oslo/kiln.go", "porto/kiln.go", "quito/kiln.go"} {
		at := slices.IndexFunc(all.Items, func(it item.Item) bool { return it.Path == place })
		past.boosts = map[string]float64{all.Items[at].ID: .6}
		if got := formats(made(t, req, src)); got[place] != "full" {
			t.Errorf("with room for all, %s is shown as %q", place, got[place])
		}
		tight := req
		tight.Budget = size - 100
		got := formats(made(t, tight, src))
		if got[place] != "lines" {
			t.Errorf("%s was passed over; shown are %v", place, got)
		}
		for other, format := range got {
			if other != place && format != "full" {
				t.Errorf("%s was passed over, and %s is shortened: %v", place, other, got)
			}
		}
		past.boosts = nil
	}
}

// TestIgnoredMemoryIsShortenedFirst checks the same of memories within their share.
func TestIgnoredMemoryIsShortenedFirst(t *testing.T) {
	long := func(id string) item.Item {
		return item.Item{ID: id, Kind: "lesson", Body: "Of " + id + " was learned: " + strings.Repeat("the kiln wants time. ", 20), Short: "Of " + id + " little.", Score: .9}
	}
	for i, name := range []string{"one", "two"} {
		past := &memories{known: []item.Item{long("one"), long("two")}, boosts: map[string]float64{name: .6}}
		past.known[i].Score = .97 // it still has the higher score
		b := remembered(t, past, 1600)
		format := map[string]string{}
		for _, it := range b.Items {
			format[it.ID] = it.Format
		}
		other := []string{"two", "one"}[i]
		if format[name] != "summary" || format[other] != "full" {
			t.Errorf("%s was passed over; shown are %v", name, format)
		}
	}
}

// TestUsedStaysWhole checks that the part of a piece that the conversation shows is left out,
// unless the model used the piece and most of it is new.
func TestUsedStaysWhole(t *testing.T) {
	texts := halls()
	src := sources(newWorkspace(t, texts).index())
	shown := strings.Join(strings.Split(texts["oslo/kiln.go"], "\n")[5:15], "\n")
	past := &memories{said: []string{"Look at this:\n" + shown}}
	src.Past = past
	req := request("where are the kiln steps run?", 4000)
	req.Fill = retrieve.Full
	part := made(t, req, src)
	if got := formats(part); got["oslo/kiln.go"] != "lines" || got["porto/kiln.go"] != "full" {
		t.Fatalf("a part of oslo is in the conversation; shown are %v", got)
	}
	at := slices.IndexFunc(part.Items, func(it item.Item) bool { return it.Path == "oslo/kiln.go" })
	past.boosts = map[string]float64{part.Items[at].ID: 1.4}
	if got := formats(made(t, req, src)); got["oslo/kiln.go"] != "full" {
		t.Errorf("it was used; shown are %v", got)
	}
}
