package forward

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/contexture-dev/contexture/server/transport"
	"go.lsp.dev/jsonrpc2"
	"pgregory.net/rapid"
)

// TestSettle: a document with its changes made is the document with its changes told.
func TestSettle(t *testing.T) {
	line := rapid.StringOf(rapid.SampledFrom([]rune("ab é😀\t")))
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 0, 5).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "break"))
	})
	position := rapid.Custom(func(t *rapid.T) transport.Position {
		return transport.Position{Line: rapid.IntRange(-1, 7).Draw(t, "line"), Character: rapid.IntRange(-1, 9).Draw(t, "character")}
	})
	rapid.Check(t, func(t *rapid.T) {
		var d documents
		now := text.Draw(t, "text")
		open, err := json.Marshal(map[string]any{"textDocument": map[string]any{"uri": "file:///a b", "version": 1, "languageId": "go", "text": now}})
		if err != nil {
			t.Fatal(err)
		}
		d.opened(open)
		n := rapid.IntRange(1, 2*maxChanges).Draw(t, "changes")
		for i := range n {
			var c transport.Change
			if i%7 != 0 {
				c.Range = &transport.Range{Start: position.Draw(t, "start"), End: position.Draw(t, "end")}
			}
			c.Text = line.Draw(t, "new")
			now = plainApply(now, c)
			params, err := json.Marshal(map[string]any{
				"textDocument": map[string]any{"uri": "file:///a%20b", "version": i + 2}, "contentChanges": []transport.Change{c},
			})
			if err != nil {
				t.Fatal(err)
			}
			d.changed(params, transport.UTF16)
		}
		var doc *document
		for _, doc = range d.byKey {
			doc.settle(transport.UTF16)
		}
		var p struct {
			TextDocument struct {
				URI, LanguageID, Text string
				Version               int
			}
		}
		if err := json.Unmarshal(doc.open, &p); err != nil {
			t.Fatal(err)
		}
		if got := p.TextDocument; got.Text != now || got.Version != n+1 || got.LanguageID != "go" || got.URI != "file:///a b" {
			t.Fatalf("it is %+v, want version %d of %q", got, n+1, now)
		}
	})
}

// plainApply makes a change the slow way: by lists of lines of UTF-16 units.
func plainApply(text string, c transport.Change) string {
	if c.Range == nil {
		return c.Text
	}
	start := plainOffset(text, c.Range.Start)
	end := max(start, plainOffset(text, c.Range.End))
	return text[:start] + c.Text + text[end:]
}

func plainOffset(text string, p transport.Position) int {
	marked := strings.NewReplacer("\r\n", "\r\n\x00", "\r", "\r\x00", "\n", "\n\x00").Replace(text)
	lines := strings.Split(marked, "\x00")
	at, n := 0, 0
	for ; n < len(lines) && n < p.Line; n++ {
		at += len(lines[n])
	}
	if n == len(lines) {
		return len(text)
	}
	line := strings.TrimRight(lines[n], "\r\n")
	count := 0
	for i, r := range line {
		if count += len(utf16.Encode([]rune{r})); count > max(0, p.Character) {
			return at + i
		}
	}
	return at + len(line)
}

func FuzzAnswerID(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"id":2}}`, `{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":""}}`, `{"jsonrpc":"2.0","id":null,"error":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":"a\"b","result":1}`, `{"jsonrpc":"2.0","id":`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		id, ok := answerID(body)
		if !ok || !json.Valid(body) {
			return
		}
		m, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			return
		}
		if r, is := m.(*jsonrpc2.Response); is && r.ID() != id {
			t.Fatalf("%s: it is %v, want %v", body, id, r.ID())
		}
	})
}

func TestKey(t *testing.T) {
	for _, same := range [][2]string{
		{"file:///a%20b", "file:///a b"}, {"file:///a/", "FILE:///a"}, {"file://localhost/a", "file:///a"}, {"file:///%61", "file:///a"},
		{"file:/a", "file:///a"},
	} {
		if key(same[0]) != key(same[1]) {
			t.Errorf("%q and %q are two: %q, %q", same[0], same[1], key(same[0]), key(same[1]))
		}
	}
	seen := map[string]string{}
	for _, uri := range []string{"file:///a", "file:///b", "untitled:a", "untitled:a/", "file://box/a", "", "file:///A"} {
		if other, ok := seen[key(uri)]; ok {
			t.Errorf("%q and %q are one", uri, other)
		}
		seen[key(uri)] = uri
	}
}

// TestDocumentsInOrder: what is said again comes in the order of opening, one that was opened anew
// at its new place.
func TestDocumentsInOrder(t *testing.T) {
	var d documents
	params := func(uri string) json.RawMessage {
		return json.RawMessage(`{"textDocument":{"uri":"` + uri + `","text":""}}`)
	}
	for _, uri := range []string{"file:///a", "file:///b", "file:///c", "file:///d", "file:///b", "file:///a%2Fx"} {
		d.opened(params(uri))
	}
	d.closed(params("file:///c"))
	d.closed(params("file:///nowhere"))
	var got []string
	for _, m := range d.messages() {
		uri, _ := uriOf(m.params)
		got = append(got, uri)
	}
	if want := []string{"file:/a", "file:/d", "file:/b", "file:/a/x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
