package vectors

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/encode"
	"github.com/contexture-dev/contexture/indexer/mapped"
	"github.com/zeebo/xxh3"
)

// hub is a server in memory.
type hub struct {
	mu      sync.Mutex // guards all below
	seq     uint64
	packs   map[string][]held
	changed chan struct{} // closed and replaced at each change
	down    bool          // not connected
	hangs   bool          // accepts everything and answers nothing
	delay   time.Duration // of what is delivered
	trickle time.Duration // between two packs
}

type held struct {
	seq    uint64
	stored time.Time
	data   []byte
}

func newHub() *hub { return &hub{packs: map[string][]held{}, changed: make(chan struct{})} }

// set changes the hub and notifies those who follow.
func (h *hub) set(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	close(h.changed)
	h.changed = make(chan struct{})
}

// forget makes the hub begin anew.
func (h *hub) forget() { h.set(func() { h.packs, h.seq = map[string][]held{}, 0 }) }

func (h *hub) all() (out []held) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, list := range h.packs {
		out = append(out, list...)
	}
	return out
}

func (h *hub) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.down
}

var errDown = errors.New("not connected")

func (h *hub) PutPack(ctx context.Context, model, repo string, data []byte) error {
	h.mu.Lock()
	hangs, down := h.hangs, h.down
	h.mu.Unlock()
	switch {
	case down:
		return errDown
	case hangs:
		<-ctx.Done()
		return ctx.Err()
	}
	h.put(model+"."+repo, data)
	return nil
}

func (h *hub) put(subject string, data []byte) {
	h.set(func() {
		h.seq++
		h.packs[subject] = append(h.packs[subject], held{h.seq, time.Now(), bytes.Clone(data)})
	})
}

func (h *hub) Packs(ctx context.Context, model, repo string, after uint64, f func(uint64, time.Time, []byte) error, caughtUp func()) error {
	first := true
	for {
		h.mu.Lock()
		list, changed, down, hangs, delay := slices.Clone(h.packs[model+"."+repo]), h.changed, h.down, h.hangs, h.delay
		h.mu.Unlock()
		if delay > 0 {
			<-time.After(delay)
		}
		if down {
			return errDown
		}
		if !hangs {
			for _, p := range list {
				if p.seq <= after {
					continue
				}
				if err := f(p.seq, p.stored, bytes.Clone(p.data)); err != nil {
					return err
				}
				after = p.seq
				if h.trickle > 0 {
					<-time.After(h.trickle)
				}
			}
			if first {
				first = false
				caughtUp()
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

const testDims = 48

var teamKey = bytes.Repeat([]byte("team key"), 4)

// kindOf returns a kind of testDims dimensions with probes of its own.
func kindOf(digest string) encode.Kind {
	k := encode.Kind{Digest: digest, Dimensions: testDims}
	for i := range 6 {
		k.Probes = append(k.Probes, rowOf(xxh3.HashString128(digest+string(rune('0'+i)))))
	}
	return k
}

// textsOf returns the hashes of n texts.
func textsOf(name string, n int) []encode.Hash {
	out := make([]encode.Hash, n)
	for i := range out {
		out[i] = xxh3.Hash128(binary.BigEndian.AppendUint32([]byte(name), uint32(i)))
	}
	return out
}

// rowOf returns a text's row, different for each.
func rowOf(h encode.Hash) []int8 {
	r := rand.New(rand.NewPCG(h.Hi, h.Lo))
	v := make([]float32, testDims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return encode.Quantized(v)
}

// open returns a share that is closed at the end of the test.
func (h *hub) open(t testing.TB, dir string, change ...func(*Options)) *Share {
	t.Helper()
	opts := Options{Key: teamKey, Dir: dir, Transport: h}
	for _, f := range change {
		f(&opts)
	}
	s, err := New(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *Share) of(repo string) *Repository { return s.Repository(func() string { return repo }) }

// found returns how many texts have a row, and fails if one is wrong.
func found(t testing.TB, r *Repository, kind encode.Kind, hashes []encode.Hash) (n int) {
	t.Helper()
	rows := r.Rows(t.Context(), kind, hashes)
	for i, row := range rows {
		if row == nil {
			continue
		}
		n++
		if !slices.Equal(row, rowOf(hashes[i])) {
			t.Fatalf("text %d has another row", i)
		}
	}
	return n
}

func newLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func bytesOf(row []int8) []byte { return mapped.Bytes(row) }
