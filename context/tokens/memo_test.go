package tokens

import (
	"strings"
	"sync"
	"testing"
)

// TestMemo counts more texts than a memo keeps, concurrently: each count equals the counter's own.
func TestMemo(t *testing.T) {
	c, err := For(O200k)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Memo()
	if c.Memo() != m {
		t.Error("a counter has two memos")
	}
	texts := []string{"", "a", strings.Repeat("x", shortText), strings.Repeat("x", shortText+1), "\xff" + strings.Repeat(" word", 40), strings.Repeat("0", 300)}
	for n := range 200 {
		texts = append(texts, strings.Repeat("turn of a talk ", n), strings.Repeat("Straße\n", n))
	}
	want := make([]int, len(texts))
	for i, s := range texts {
		want[i] = c.Count(s)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 3 {
				for i, s := range texts {
					if got := m.Count(s); got != want[i] {
						t.Errorf("%d tokens of a text of %d bytes, want %d", got, len(s), want[i])
					}
				}
			}
		})
	}
	group.Wait()
}

// TestMemoReplaces gives two texts the same slot: neither is answered with the other's count.
func TestMemoReplaces(t *testing.T) {
	c, err := For(CL100k)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Memo()
	one, other := strings.Repeat("one ", 50), strings.Repeat("another ", 90)
	m.Count(one)
	for i := range m.slots { // as though the other text had this one's hash
		if e := m.slots[i].Load(); e != nil {
			m.slots[i].Store(&countEntry{e.hashes, e.length + 1, -1})
		}
	}
	if got, want := m.Count(one), c.Count(one); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
	if got, want := m.Count(other), c.Count(other); got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func BenchmarkMemo(b *testing.B) {
	c, err := For(O200k)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("func (b *build) worth(path string, score float64) float64 {\n", 40)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Memo().Count(text)
	}
}
