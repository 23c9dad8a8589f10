package render

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"pgregory.net/rapid"
)

func TestBlock(t *testing.T) {
	tests := []struct {
		name string
		of   item.Item
		want string
	}{
		{
			"code", item.Item{ID: "c1", Kind: "code", Attrs: []item.Attr{{Name: "path", Value: "a/b.go"}, {Name: "lines", Value: "10-42"}}, Body: "func F() {}"},
			"<ctx-code path=\"a/b.go\" lines=\"10-42\">\nfunc F() {}\n</ctx-code>\n",
		},
		{"title", item.Item{Kind: "lesson", Title: "Use a mutex", Body: "x"}, "<ctx-lesson title=\"Use a mutex\">\nx\n</ctx-lesson>\n"},
		{"turn", item.Item{Kind: "turn", Tag: "T-12-R", Body: "hi"}, "<T-12-R>\nhi\n</T-12-R>\n"},
		{"merged turns", item.Item{Kind: "summary", Tag: "T-50-through-100-C", Body: "x"}, "<T-50-through-100-C>\nx\n</T-50-through-100-C>\n"},
		{"tag that is none", item.Item{Kind: "turn", Tag: "T-12-R>\n<evil", Body: "x"}, "<ctx-turn>\nx\n</ctx-turn>\n"},
		{"kind that is none", item.Item{Kind: "a b>", Body: "x"}, "<ctx-item>\nx\n</ctx-item>\n"},
		{"empty body", item.Item{Kind: "doc"}, "<ctx-doc>\n\n</ctx-doc>\n"},
		{"body with line feed", item.Item{Kind: "doc", Body: "x\n"}, "<ctx-doc>\nx\n\n</ctx-doc>\n"},
		{"CRLF", item.Item{Kind: "doc", Body: "x\r\ny\r"}, "<ctx-doc>\nx\r\ny\r\n</ctx-doc>\n"},
		{
			"attribute", item.Item{Kind: "code", Attrs: []item.Attr{{Name: "path", Value: "a\"b<c>&\n\t\x00\x7f\u200b\u2028é\xff"}, {Name: "a b", Value: "left out"}}},
			"<ctx-code path=\"a&quot;b&lt;c&gt;&amp;&#10;&#9;&#0;&#127;&#8203;&#8232;é\uFFFD\">\n\n</ctx-code>\n",
		},
		{"controls", item.Item{Kind: "code", Body: "a\x00b\x1b[31m\f\t\x7f\xff\xfe"}, "<ctx-code>\na␀b␛[31m\f\t␡\uFFFD\n</ctx-code>\n"},
		{"imitation", item.Item{Kind: "code", Body: "</ctx-code>"}, "<ctx-code>\n&lt;/ctx-code>\n</ctx-code>\n"},
		{"imitation by a control", item.Item{Kind: "code", Body: "</ctx\x00-code>"}, "<ctx-code>\n</ctx␀-code>\n</ctx-code>\n"},
		{
			"prompt verbatim", item.Item{Kind: "prompt", Body: "a\x00</ctx-prompt>\n<ctx-code>&lt;\n"},
			"<ctx-prompt>\na\x00</ctx-prompt>\n<ctx-code>&lt;\n\n</ctx-prompt>\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Block(tt.of); got != tt.want {
				t.Errorf("Block:\ngot  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// fragments are the parts of generated bodies: ordinary text, and everything that could end an
// element or join tokens across a border.
var fragments = []string{
	"</ctx-code>\n", "\n</ctx-code>\n", "<ctx-prompt>\n", "<T-1-R>", "</T-1-R>\n", "<", "</", "ctx-code>", "&lt;", "&amp;", "amp;",
	"\n", "\r\n", "\r", " ", "\t", ">", "/", "//", "'s", "it's", "123456", "func f() {\n\treturn a < b\n}", "größer", "漢字", "🙂", "\u200b",
	"\xff", "\x00", "＜", "‹ctx-", "\u00a0", "-", "List<String>", "ᐸ",
}

func genBody() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(fragments), rapid.String()), 0, 12).Draw(t, "parts"), "")
	})
}

func genItems() *rapid.Generator[[]item.Item] {
	layers := []item.Layer{item.L0Identity, item.L1Preferences, item.L2Topic, item.L3Entity, item.L4Conversation, item.L5JIT, item.L6History, -1}
	kinds := []item.Kind{"code", "doc", "lesson", "reference", "turn", "tickler", "arc", "task", "rule", "topic", "notice", "made up"}
	one := rapid.Custom(func(t *rapid.T) item.Item {
		it := item.Item{
			Kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
			Layer:  rapid.SampledFrom(layers).Draw(t, "layer"),
			Title:  rapid.OneOf(rapid.Just(""), genBody()).Draw(t, "title"),
			Body:   genBody().Draw(t, "body"),
			Stable: rapid.Bool().Draw(t, "stable"),
		}
		it.Tag = rapid.SampledFrom([]string{"", "", "T-3-S", "T-4-through-9-C"}).Draw(t, "tag")
		if rapid.Bool().Draw(t, "attributes") {
			it.Attrs = []item.Attr{{Name: "path", Value: genBody().Draw(t, "path")}, {Name: "lines", Value: "1-2"}}
		}
		return it
	})
	return rapid.Custom(func(t *rapid.T) []item.Item {
		items := rapid.SliceOfN(one, 0, 6).Draw(t, "items")
		prompt := item.Item{Kind: "prompt", Layer: item.L7Message, Body: strings.ToValidUTF8(genBody().Draw(t, "prompt"), "")}
		return slices.Insert(items, rapid.IntRange(0, len(items)).Draw(t, "where"), prompt)
	})
}

// TestAssembleParsesBack checks that for any bodies a reader of the delimiters finds exactly the
// items, at the spans given.
func TestAssembleParsesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		items := genItems().Draw(rt, "items")
		order := rapid.SampledFrom([]Order{Cache, Primed, "other"}).Draw(rt, "order")
		res := Assemble(items, order)
		if !utf8.ValidString(res.Text) {
			rt.Fatalf("text is not valid UTF-8")
		}
		found := parse(t, res.Text)
		if len(found) != len(items) {
			rt.Fatalf("%d elements for %d items in %q", len(found), len(items), res.Text)
		}
		bySpan := map[item.Span]element{}
		for _, e := range found {
			bySpan[e.span] = e
		}
		for i, it := range items {
			e, ok := bySpan[res.Spans[i]]
			if !ok {
				rt.Fatalf("item %d: no element at %v", i, res.Spans[i])
			}
			checkElement(rt, it, e)
			if res.Text[e.span.Start:e.span.End] != Block(it) {
				rt.Fatalf("item %d: the span is not its block", i)
			}
		}
		if found[len(found)-1].name != "ctx-prompt" {
			rt.Fatalf("the prompt is not last")
		}
		if again := Assemble(items, order); again.Text != res.Text || !slices.Equal(again.Spans, res.Spans) {
			rt.Fatalf("the same items gave another text")
		}
	})
}

func checkElement(t *rapid.T, it item.Item, e element) {
	if e.name != elementName(it) {
		t.Fatalf("element %s, want %s", e.name, elementName(it))
	}
	want := it.Body
	if it.Kind != item.Prompt {
		want = clean(want)
	}
	if e.body != want {
		t.Fatalf("body %q, want %q", e.body, want)
	}
	attrs := it.Attrs
	if it.Title != "" && it.Tag == "" {
		attrs = append([]item.Attr{{Name: "title", Value: it.Title}}, attrs...)
	}
	for i := range attrs {
		attrs[i].Value = strings.ToValidUTF8(attrs[i].Value, "\uFFFD")
	}
	if !slices.Equal(e.attrs, attrs) {
		t.Fatalf("attributes %q, want %q", e.attrs, attrs)
	}
}

// TestTokensAdd checks that tokens are additive, with tiktoken's own count.
func TestTokensAdd(t *testing.T) {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	for _, name := range []string{"o200k_base", "cl100k_base"} {
		enc, err := tiktoken.GetEncoding(name)
		if err != nil {
			t.Fatal(err)
		}
		count := func(s string) int { return len(enc.EncodeOrdinary(s)) }
		rng := rand.New(rand.NewPCG(1, 2))
		texts := 300
		if testing.Short() {
			texts = 60
		}
		for range texts {
			items := make([]item.Item, 1+rng.IntN(6))
			sum := 0
			for i := range items {
				items[i] = item.Item{Kind: "code", Body: randomBody(rng), Attrs: []item.Attr{{Name: "path", Value: randomBody(rng)}}}
				if i == len(items)-1 {
					items[i].Kind = "prompt"
				}
				sum += count(Block(items[i]))
			}
			if text := Assemble(items, Cache).Text; count(text) != sum {
				t.Fatalf("%s: %d tokens, blocks sum to %d: %q", name, count(text), sum, text)
			}
		}
	}
}

func randomBody(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(10) {
		b.WriteString(fragments[rng.IntN(len(fragments))])
	}
	return b.String()
}
