package recall

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"unicode"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// wordTerms is the simplest analyser: lower-case words of at least three letters.
func wordTerms(text string, yield func(string)) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(w) > 2 {
			yield(w)
		}
	}
}

// index is shared by all tests: its caches are right for every state of every store.
var index = func() *Index {
	ix, err := New(wordTerms, rand.Reader)
	if err != nil {
		panic(err)
	}
	return ix
}()

func add(t testing.TB, s *store.Store, conv uint32, first int, msgs ...dialogue.Message) {
	t.Helper()
	storetest.Apply(t, s, 1, func(tx store.Tx) error {
		index.Add(tx, placed(conv, first, msgs))
		return nil
	})
}

func placed(conv uint32, first int, msgs []dialogue.Message) []PlacedMessage {
	list := make([]PlacedMessage, len(msgs))
	for i, m := range msgs {
		list[i] = PlacedMessage{conv, first + i, index.Prepare(m)}
	}
	return list
}

func remove(t testing.TB, s *store.Store, conv uint32, first int, msgs ...dialogue.Message) {
	t.Helper()
	storetest.Apply(t, s, 1, func(tx store.Tx) error { return index.Remove(tx, []Part{{conv, first, msgs}}) })
}

func search(t testing.TB, s store.Reader, q Query) []Hit {
	t.Helper()
	hits, err := index.Search(t.Context(), store.View{Reader: s, Workspace: 1}, q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// dump returns the content of the store, without the values of versions, which are never reused.
func dump(t testing.TB, s store.Reader) string {
	t.Helper()
	var b strings.Builder
	err := s.Scan(store.Prefix(store.Recall, 0), nil, func(key, value []byte) (bool, error) {
		if bytes.HasPrefix(key, termPrefix(1, versionTerm)) {
			value = nil
		}
		b.WriteString(string(key) + "=" + string(value) + "\n")
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// talkOf makes messages of two people in alternation.
func talkOf(texts ...string) []dialogue.Message {
	var msgs []dialogue.Message
	for i, text := range texts {
		m := dialogue.Message{Role: dialogue.User, Author: "Ines", Content: text}
		if i%2 == 1 {
			m.Role, m.Author = dialogue.Assistant, "Oskar"
		}
		msgs = append(msgs, m)
	}
	return msgs
}
