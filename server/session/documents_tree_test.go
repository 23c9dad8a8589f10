package session

import (
	"fmt"
	"maps"
	"testing"

	"github.com/contexture-dev/contexture/server/transport"
	"pgregory.net/rapid"
)

// TestDocumentsAgainstModel compares the tree of documents with a map, and checks that a copied
// state does not change.
func TestDocumentsAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var docs, taken *Documents
		model, kept := map[string]string{}, map[string]string{}
		check := func(docs *Documents, model map[string]string) {
			got := map[string]string{}
			for d := range docs.all() {
				if _, twice := got[d.uri]; twice {
					t.Fatalf("%s is there twice", d.uri)
				}
				got[d.uri] = d.text
			}
			if !maps.Equal(got, model) {
				t.Fatalf("%v, want %v", got, model)
			}
		}
		for i := range rapid.IntRange(0, 300).Draw(t, "steps") {
			uri := fmt.Sprintf("file:///d/f%d", rapid.IntRange(0, 60).Draw(t, "document"))
			text, open := model[uri]
			switch doc := docs.get(transport.DocumentKey(uri)); {
			case (doc != nil) != open || open && doc.text != text:
				t.Fatalf("%s is %+v, want %q", uri, doc, text)
			case open && rapid.Bool().Draw(t, "close"):
				docs = docs.without(transport.DocumentKey(uri))
				delete(model, uri)
			case open:
				model[uri] = fmt.Sprint("text ", i)
				docs = docs.with(doc.edited(model[uri]))
			default:
				model[uri] = fmt.Sprint("text ", i)
				docs = docs.with(newDocument(uri, model[uri]))
			}
			if i%50 == 0 {
				taken, kept = docs, maps.Clone(model)
			}
		}
		check(docs, model)
		check(taken, kept)
		if docs.without("no such") != docs && len(model) == 0 {
			t.Fatal("nothing has become something")
		}
	})
}

// TestDocumentsOfOneHash: documents whose hashes are equal are kept apart.
func TestDocumentsOfOneHash(t *testing.T) {
	var docs *Documents
	const n = 3 * leafMost
	for i := range n {
		doc := newDocument(fmt.Sprint("untitled:", i), "")
		doc.hash = 7
		docs = docs.with(doc)
	}
	seen := map[string]bool{}
	for d := range docs.all() {
		seen[d.uri] = true
		break
	}
	for d := range docs.all() {
		seen[d.uri] = true
	}
	if len(seen) != n {
		t.Errorf("%d documents", len(seen))
	}
}
