package retrieve

import (
	"slices"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
)

// A place is found by a message in every form in which its words may be in the index: in another
// case, joined, stemmed, continued by the literal, and with words that are not indexed.
func TestMessagesInOtherForms(t *testing.T) {
	texts := map[string]string{
		"case.go":      "package a\n\nfunc one() error { return errors.New(\"Cannot Reopen the FileStores twice\") }\n",
		"continued.go": "package a\n\nfunc two() error { return errors.New(\"cannot drain queued batches of %s\", name) }\n",
		"ends.go":      "package a\n\nfunc three() error { return errors.New(name + \"precannot rotate expired keyrings\") }\n",
		"signs.go":     "package a\n\nfunc four() error { return errors.New(\"no go# binding for C# found\") }\n",
		"other.go":     "package a\n\nfunc five() int { return 5 } // cannot and the store, twice in a text\n",
	}
	s := index(t, texts)
	for _, tt := range []struct{ prompt, path string }{
		{"cannot reopen the filestores twice", "case.go"},
		{"error: cannot reopen the filestores twice", "case.go"},
		{"cannot drain queued batch", "continued.go"},
		{"cannot rotate expired keyrings", "ends.go"},
		{"no go# binding for c# found", "signs.go"},
		{"error: cannot drain queued batches of mails", "continued.go"},
	} {
		r := ask(s, tt.prompt)
		at := slices.IndexFunc(r.Candidates, func(c *item.Item) bool {
			return c.Named && slices.ContainsFunc(c.Reasons, func(why string) bool { return why == "holds the message that the prompt quotes" })
		})
		if at < 0 || s.Chunk(r.Candidates[at].Chunk).Path != tt.path {
			t.Errorf("%q: %v, want the message found in %s", tt.prompt, places(s, r), tt.path)
		}
	}
}

// Only texts that may hold a message are read.
func TestMessagesReadLittle(t *testing.T) {
	s := index(t, map[string]string{
		"a.go": "package a\n\nfunc drain() error { return errors.New(\"cannot drain the batches\") }\n",
		"b.go": "package a\n\nfunc batches() int { return 5 } // the batches\n",
		"c.go": "package a\n\nfunc cannot() int { return 6 } // cannot\n",
	})
	r := &search{s: s, reader: s.NewReader()}
	r.out.Candidates = []*item.Item{{Chunk: 0}, {Chunk: 1}, {Chunk: 2}}
	(&errorMessages{r}).raisers([]message{{words: messageWords("cannot drain the batches"), text: "cannot drain the batches"}})
	if got := r.reader.Paths(); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("%q were read, want a.go alone", got)
	}
}
