package team

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/server/team/fact"
)

func signerOf(t *testing.T, name string) *fact.Signer {
	t.Helper()
	seed, err := fact.NewSeed(bytes.NewReader(bytes.Repeat([]byte(name), 64)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := fact.NewSigner(seed, name, "")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func signed(t *testing.T, s *fact.Signer, f fact.Fact) *fact.VerifiedFact {
	t.Helper()
	f.Repository, f.At = "r1", time.Unix(1_780_000_000, 0)
	_, sealed, err := s.Sign(f)
	if err != nil {
		t.Fatal(err)
	}
	o, err := fact.Open(sealed)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A crash leaves any beginning of what was written. Whatever it is, the ledger opens with all whole
// lines of it, and goes on.
func TestLedgerCrash(t *testing.T) {
	anna, ben := signerOf(t, "anna"), signerOf(t, "benn")
	own := func(key string) bool { return key == anna.Author() }
	dir := t.TempDir()
	l, _, err := openLedger(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	share := true
	first, second, other := signed(t, anna, fact.Fact{Kind: fact.Rule, Content: "one"}), signed(t, anna, fact.Fact{Kind: fact.Rule, Content: "two"}), signed(t, ben, fact.Fact{Kind: fact.Rule, Content: "three"})
	for _, o := range []*fact.VerifiedFact{first, other, second} {
		if changed, err := l.add(o); !changed || err != nil {
			t.Fatal(changed, err)
		}
	}
	err = l.note(true, line{Made: &madeLine{"root", "item", first.ID, "t"}}, line{Mark: &markLine{"root", "item", &share}}, line{Kept: first.ID}, line{Read: &readLine{"x", 1, 7}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "facts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; n <= len(whole); n += 7 {
		torn := t.TempDir()
		if err := os.WriteFile(filepath.Join(torn, "facts.jsonl"), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		l, broken, err := openLedger(torn, own)
		if err != nil || broken != 0 {
			t.Fatalf("after %d bytes: %d lines are broken, %v", n, broken, err)
		}
		lines := bytes.Count(whole[:n], []byte("\n"))
		if facts, _ := l.counts(); facts != min(lines, 3) {
			t.Fatalf("after %d bytes: %d facts of %d lines", n, facts, lines)
		}
		if _, err := l.add(signed(t, ben, fact.Fact{Kind: fact.Rule, Content: "later"})); err != nil {
			t.Fatal(err)
		}
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		again, broken, err := openLedger(torn, own)
		if err != nil || broken != 0 {
			t.Fatalf("after %d bytes, the second time: %d, %v", n, broken, err)
		}
		if facts, _ := again.counts(); facts != min(lines, 3)+1 {
			t.Fatalf("after %d bytes: %d facts in the end", n, facts)
		}
		if err := again.close(); err != nil {
			t.Fatal(err)
		}
	}
	l, _, err = openLedger(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if out, err := l.outbox(); err != nil || len(out) != 1 || out[0].ID != second.ID {
		t.Errorf("to be sent: %v", out)
	}
	if at := l.position("x"); at != (cursor{1, 7}) {
		t.Errorf("read up to %v", at)
	}
	made, marks := l.madeOf("root")
	if made["item"].fact != first.ID || !marks["item"] {
		t.Errorf("%v, %v", made, marks)
	}
	// What a newer program wrote stays for when this one is updated.
	newer := []byte(`{"fact":{"v":99},"signature":""}`)
	for range 2 {
		if err := l.addLater(newer); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	l, broken, err := openLedger(dir, own)
	if err != nil || broken != 0 || len(l.later) != 1 {
		t.Errorf("%d facts for later, %d broken lines, %v", len(l.later), broken, err)
	}
	// A line that somebody damaged costs that line.
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	whole[bytes.IndexByte(whole, '\n')-20] ^= 1
	if err := os.WriteFile(filepath.Join(dir, "facts.jsonl"), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	l, broken, err = openLedger(dir, own)
	if facts, _ := l.counts(); err != nil || broken != 1 || facts != 2 {
		t.Errorf("%d facts, %d broken lines, %v", facts, broken, err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
}

// What cannot be written to the disk is refused and not sent, until it can be.
func TestLedgerFull(t *testing.T) {
	anna := signerOf(t, "anna")
	own := func(key string) bool { return key == anna.Author() }
	dir := t.TempDir()
	l, _, err := openLedger(dir, own)
	if err != nil {
		t.Fatal(err)
	}
	written := l.file
	defer written.Close()
	if l.file, err = os.Open(l.path); err != nil { // every write to it fails
		t.Fatal(err)
	}
	path := l.path
	l.path = filepath.Join(dir, "missing", "facts.jsonl") // where nothing can be written anew
	o := signed(t, anna, fact.Fact{Kind: fact.Rule, Content: "one"})
	for range 2 { // into the file, and into a new one
		if _, err := l.add(o); err == nil && l.waiting() == 0 {
			t.Fatal("it is added")
		}
		if out, err := l.outbox(); err == nil {
			t.Fatalf("%v would be sent", out)
		}
	}
	l.path = path
	if out, err := l.outbox(); err != nil || len(out) != 1 {
		t.Errorf("%v, %v", out, err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	l, broken, err := openLedger(dir, own)
	if err != nil || broken != 0 || l.waiting() != 1 {
		t.Errorf("%d broken lines, %v", broken, err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
}
