package indexer

import (
	"log/slog"
	"testing"

	"github.com/contexture-dev/contexture/indexer/source"
	"github.com/contexture-dev/contexture/indexer/store"
)

// TestManifest saves the list of segments and loads it again, without an index: under the same
// redaction, and under another, whose store must not be used.
func TestManifest(t *testing.T) {
	log, dir := slog.New(slog.DiscardHandler), t.TempDir()
	open := func(redactID string) *manifest {
		db, err := store.Open(dir, log)
		if err != nil {
			t.Fatal(err)
		}
		return newManifest(&segmentStore{db: db, dir: dir, log: log, redactID: redactID, mappedBytes: mappedBytes}, "rules")
	}
	m := open("one")
	if err := m.load(); err != nil {
		t.Fatal(err)
	}
	p := partsOf([][2]string{{"a.go", "package a\n\nfunc Kiln() {}\n"}})[0]
	p.seg.id, p.texts, m.version, m.nextID = 1, nil, 7, 2
	m.parts = []*part{p}
	m.known.files["a.go"] = fileState{segment: 1}
	m.known.files["b.bin"] = fileState{reason: source.Binary}
	if err := m.saveAll(suspects{}); err != nil {
		t.Fatal(err)
	}
	if err := m.disk.db.Close(); err != nil {
		t.Fatal(err)
	}
	again := open("one")
	if err := again.load(); err != nil {
		t.Fatal(err)
	}
	if again.version != 7 || again.nextID != 2 || len(again.parts) != 1 || again.parts[0].paths[0] != "a.go" || again.part(1) != 0 {
		t.Errorf("loaded %+v", again)
	}
	if again.known.total() != 1 || again.known.skipped()[source.Binary] != 1 || again.known.stale {
		t.Errorf("known %+v", again.known)
	}
	if err := again.disk.db.Close(); err != nil {
		t.Fatal(err)
	}
	other := open("two")
	if err := other.disk.sameRedaction(); err != errOtherRedaction {
		t.Errorf("another redaction: %v", err)
	}
	if err := other.disk.db.Close(); err != nil {
		t.Fatal(err)
	}
}
