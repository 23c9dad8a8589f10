package embed

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"slices"
	"testing"
)

func encoded(t testing.TB, m *Model) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLoadReadsWhatWasWritten(t *testing.T) {
	m := mustTrain(t, newCorpus(synthetic(300, 6, 8)), Options{})
	b := encoded(t, m)
	got, err := Load(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Digest() != m.Digest() || len(m.Digest()) != 64 || got.Dimensions() != m.Dimensions() ||
		got.Docs() != m.Docs() || got.Terms() != m.Terms() {
		t.Errorf("loaded %s %d %d %d, wrote %s %d %d %d", got.Digest(), got.Dimensions(), got.Docs(), got.Terms(),
			m.Digest(), m.Dimensions(), m.Docs(), m.Terms())
	}
	if !bytes.Equal(encoded(t, got), b) {
		t.Error("written again, it differs")
	}
	q := []Term{{"topic1word1", 1}, {"noise5", 2}}
	clear(b) // no reference to b is kept
	if !slices.Equal(got.Embed(q), m.Embed(q)) {
		t.Error("the loaded model embeds differently")
	}
}

func TestLoadRefusesDamage(t *testing.T) {
	b := encoded(t, mustTrain(t, newCorpus(synthetic(60, 3, 9)), Options{}))
	for at := 0; at < len(b); at += 7 {
		damaged := slices.Clone(b)
		damaged[at] ^= 0x10
		if _, err := Load(damaged); !errors.Is(err, errCorrupt) {
			t.Fatalf("byte %d changed: %v", at, err)
		}
		if _, err := Load(b[:at]); !errors.Is(err, errCorrupt) {
			t.Fatalf("cut at %d: %v", at, err)
		}
	}
	if _, err := Load(append(b, 0)); !errors.Is(err, errCorrupt) {
		t.Errorf("a byte more: %v", err)
	}
}

// FuzzLoad gives every input a correct checksum, so that the code behind it is reached.
func FuzzLoad(f *testing.F) {
	b := encoded(f, mustTrain(f, newCorpus(synthetic(40, 3, 10)), Options{}))
	b = b[:len(b)-sha256.Size]
	f.Add(b)
	f.Add(b[:headerSize])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, content []byte) {
		sum := sha256.Sum256(content)
		m, err := Load(append(slices.Clone(content), sum[:]...))
		if err != nil {
			if m != nil {
				t.Error("a model and an error")
			}
			return
		}
		if !bytes.Equal(m.content(), content) {
			t.Error("written again, it differs")
		}
		for i := range m.Terms() {
			if v := m.Embed([]Term{{m.term(i), 1}}); v != nil && len(v) != m.Dimensions() {
				t.Errorf("term %d has %d components", i, len(v))
			}
		}
	})
}
