package conversation_test

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/store"
)

// fatal is the common part of rapid.T and testing.TB that this package uses.
type fatal interface{ Fatal(args ...any) }

func dump(t fatal, view store.View) map[string]string {
	all := make(map[string]string)
	prefix := store.Prefix(store.Conversations, view.Workspace)
	err := view.Scan(prefix, store.PrefixEnd(prefix), func(key, value []byte) (bool, error) {
		all[string(key)] = string(value)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func export(t fatal, view store.View) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := conversation.Export(view, func(rec conversation.Record) error { return e.Encode(rec) })
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func load(t fatal, s *store.Store, ws store.Workspace, lines string) (added int) {
	tx := s.Begin(ws, start)
	i := conversation.NewImporter(tx)
	for line := range strings.Lines(lines) {
		var rec conversation.Record
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		a, err := i.Add(rec)
		if err != nil {
			t.Fatal(err)
		}
		added += len(a.Messages)
	}
	if err := s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
	return added
}
