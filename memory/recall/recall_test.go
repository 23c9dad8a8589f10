package recall

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
	"github.com/contexture-dev/contexture/memory/store/storetest"
)

var vocabulary = []string{"apple", "bread", "cheese", "donkey", "engine", "forest", "garden", "harbour", "island", "jacket"}

func drawMessage(t *rapid.T) dialogue.Message {
	words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 9).Draw(t, "words")
	m := dialogue.Message{Author: rapid.SampledFrom([]string{"", "ines", "oskar"}).Draw(t, "author")}
	for _, w := range words {
		m.Content += w + " "
	}
	if rapid.Bool().Draw(t, "symbol") {
		m.Symbols = []string{rapid.SampledFrom(vocabulary).Draw(t, "name")}
	}
	return m
}

// TestOwnScoreIsBM25 compares the scores of messages for their own words with the formula computed
// from the messages, for conversations added in any portions.
func TestOwnScoreIsBM25(t *testing.T) {
	s := storetest.Open(t)
	conv := uint32(0)
	rapid.Check(t, func(rt *rapid.T) {
		conv++
		msgs := rapid.SliceOfN(rapid.Custom(drawMessage), 1, 30).Draw(rt, "messages")
		first := rapid.SampledFrom([]int{0, blockSize - 3, 5 * blockSize}).Draw(rt, "first")
		for i := 0; i < len(msgs); {
			n := rapid.IntRange(1, len(msgs)-i).Draw(rt, "portion")
			add(t, s, conv, first+i, msgs[i:i+n]...)
			i += n
		}
		query := rapid.SliceOfNDistinct(rapid.SampledFrom(vocabulary), 1, 4, rapid.ID).Draw(rt, "query")
		want := bruteForce(msgs, query)
		text, top := "", 0.0
		for _, w := range query {
			text += w + " "
		}
		got := map[int]float64{}
		for _, h := range search(t, s, Query{Text: text, Spans: []Span{{conv, 0, first + len(msgs)}}}) {
			got[h.Message-first] = h.Own
			top = max(top, h.Own)
		}
		best := 0.0
		for _, w := range want {
			best = max(best, w)
		}
		for i := range msgs {
			if best > 0 && math.Abs(got[i]/top-want[i]/best) > .001 {
				rt.Fatalf("message %d: own score %v of the best, want %v", i, got[i]/top, want[i]/best)
			}
		}
	})
}

// bruteForce is BM25 over weighted fields as the package describes it, from the messages
// themselves.
func bruteForce(msgs []dialogue.Message, query []string) []float64 {
	weight := make([]map[string]float64, len(msgs))
	length := make([]float64, len(msgs))
	total := 0.0
	for i, m := range msgs {
		weight[i] = map[string]float64{}
		count := func(text string, w float64) {
			wordTerms(text, func(term string) { weight[i][term] += w; length[i] += w })
		}
		count(m.Content, 1)
		for _, name := range m.Symbols {
			count(name, 1.5)
		}
		length[i] = lengthOf[lengthByte(length[i])]
		total += length[i]
	}
	average := max(1, total/float64(len(msgs)))
	scores := make([]float64, len(msgs))
	for _, term := range query {
		n := 0.0
		for i := range msgs {
			if weight[i][term] > 0 {
				n++
			}
		}
		idf := math.Log(1 + (float64(len(msgs))-n+.5)/(n+.5))
		for i := range msgs {
			tf := weight[i][term]
			scores[i] += idf * tf * (tuned.k1 + 1) / (tf + tuned.k1*(1-tuned.b+tuned.b*length[i]/average))
		}
	}
	return scores
}

// TestRemoveIsTheInverseOfAdd checks that after removing messages the store is byte for byte what
// it was before they were added.
func TestRemoveIsTheInverseOfAdd(t *testing.T) {
	s := storetest.Open(t)
	rapid.Check(t, func(rt *rapid.T) {
		msgs := rapid.SliceOfN(rapid.Custom(drawMessage), 2, 20).Draw(rt, "messages")
		cut := rapid.IntRange(1, len(msgs)-1).Draw(rt, "cut")
		const first = blockSize - 5
		empty := dump(t, s)
		add(t, s, 1, first, msgs[:cut]...)
		half := dump(t, s)
		add(t, s, 1, first+cut, msgs[cut:]...)
		remove(t, s, 1, first+cut, msgs[cut:]...)
		if dump(t, s) != half {
			rt.Fatalf("removing messages from %d on leaves another store than before they came", cut)
		}
		remove(t, s, 1, first, msgs[:cut]...)
		if dump(t, s) != empty {
			rt.Fatalf("something is left of removed messages")
		}
	})
}

func TestSearchRanks(t *testing.T) {
	conversation := talkOf(
		"we painted the fence behind the barn", "that took a while",
		"where did your sister learn to sail?", "on the lake behind the old mill",
		"the weather turned cold", "better than rain",
	)
	tests := []struct {
		name, text string
		recency    float64
		first      int
	}{
		{"its own words", "fence barn", 0, 0},
		{"what a person said", "what took Oskar a while", 0, 1},
		{"nobody named", "weather cold", 0, 4},
	}
	s := storetest.Open(t)
	add(t, s, 7, 0, conversation...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := search(t, s, Query{Text: tt.text, Recency: tt.recency})
			if len(hits) == 0 || hits[0].Message != tt.first || hits[0].Score != 1 {
				t.Fatalf("hits %+v, want message %d first with score 1", hits, tt.first)
			}
		})
	}
	t.Run("an answer stands with its question", func(t *testing.T) {
		hits := search(t, s, Query{Text: "sister learn sail"})
		if len(hits) < 2 || hits[0].Message != 2 || hits[1].Message != 3 || hits[1].Own != 0 {
			t.Fatalf("hits %+v, want the question and then its answer", hits)
		}
	})
}

func TestRecencyPrefersTheNewestSession(t *testing.T) {
	var msgs []dialogue.Message
	var sessions []int
	for i := range 9 {
		sessions = append(sessions, len(msgs))
		msgs = append(msgs, talkOf(fmt.Sprint("indent with tabs ", i), "fine")...)
	}
	s := storetest.Open(t)
	add(t, s, 1, 0, msgs...)
	q := Query{Text: "indent tabs", Recency: 1, Sessions: func(uint32) []int { return sessions }}
	hits := search(t, s, q)
	if hits[0].Message != 16 {
		t.Fatalf("first is message %d, want 16", hits[0].Message)
	}
	for _, h := range hits {
		if h.Message == 10 && math.Abs(h.Score-.5) > .01 {
			t.Errorf("three sessions ago scores %v of the newest, want half", h.Score)
		}
	}
}

// TestSpansBound checks that nothing outside the spans is found or read, at any position in a
// block.
func TestSpansBound(t *testing.T) {
	s := storetest.Open(t)
	var msgs []dialogue.Message
	for range blockSize + 50 {
		msgs = append(msgs, dialogue.Message{Content: "lantern"})
	}
	add(t, s, 3, 0, msgs...)
	add(t, s, 4, 0, msgs[:10]...)
	for _, span := range []Span{{3, 5, 9}, {3, blockSize - 2, blockSize + 2}, {3, blockSize + 49, blockSize + 500}, {4, 2, 2}} {
		hits := search(t, s, Query{Text: "lantern", Spans: []Span{span}, Limit: 10_000})
		want := max(0, min(span.To, len(msgs))-span.From)
		if len(hits) != want {
			t.Errorf("%v: %d hits, want %d", span, len(hits), want)
		}
		for _, h := range hits {
			if h.Conversation != span.Conversation || h.Message < span.From || h.Message >= span.To {
				t.Errorf("%v: hit %+v lies outside", span, h)
			}
		}
	}
	if hits := search(t, s, Query{Text: "lantern", Spans: []Span{}}); hits != nil {
		t.Errorf("no spans: %v", hits)
	}
}

// TestManyConversations checks that a message beyond the limits for reading frequent words is still
// found by a rare word, whichever limit is reached.
func TestManyConversations(t *testing.T) {
	s := storetest.Open(t)
	tx := s.Begin(1, time.Time{})
	for conv := range uint32(40 * groupSize) {
		text := "common words everywhere"
		if conv == 20 {
			text = "common words about a heron"
		}
		index.Add(tx, placed(conv, 0, talkOf(text)))
	}
	if err := s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
	for _, limits := range []bounds{defaultBounds, {values: 10, postings: 1 << 20}, {values: 4096, postings: 200}} {
		hits, err := index.find(t.Context(), s.View(1), Query{Text: "common heron words"}, limits)
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].Conversation != 20 {
			t.Fatalf("%+v: first is %+v, want conversation 20", limits, hits[:min(1, len(hits))])
		}
	}
}

func TestSearchIsCancelled(t *testing.T) {
	s := storetest.Open(t)
	add(t, s, 1, 0, talkOf("a lighthouse on the cape")...)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := index.Search(ctx, s.View(1), Query{Text: "lighthouse"}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want context.Canceled", err)
	}
}

// TestRemoveTogether checks that removing parts that share values of the index in one call equals
// removing them in sequence, and that other parts in the same values stay.
func TestRemoveTogether(t *testing.T) {
	s := storetest.Open(t)
	said := talkOf("a heron on the lake", "where is the lake?", "behind the mill")
	add(t, s, 3, 0, said...)
	want := dump(t, s)
	add(t, s, 4, 0, said...)
	add(t, s, 5, 1, said[1:]...)
	add(t, s, 3, 3, said...)
	tx := s.Begin(1, time.Time{})
	if err := index.Remove(tx, []Part{{4, 0, said}, {5, 1, said[1:]}, {3, 3, said}}); err != nil {
		t.Fatal(err)
	}
	if err := s.ApplyLater(tx.Batch); err != nil {
		t.Fatal(err)
	}
	if dump(t, s) != want {
		t.Error("removing three parts in one batch leaves another store than before they came")
	}
}

// TestNeighboursInAGroup checks that the ranking of a conversation does not depend on others stored
// in the same values.
func TestNeighboursInAGroup(t *testing.T) {
	for _, first := range []int{0, 7, blockSize - 2} {
		alone, crowd := storetest.Open(t), storetest.Open(t)
		const conv = groupSize + 3
		msgs := talkOf("apple bread, cheese?", "donkey engine", "nothing", "apple forest", "garden apple apple")
		for other := range uint32(3 * groupSize) {
			if other != conv {
				add(t, crowd, other, first, talkOf("apple bread cheese", "donkey? engine", "forest garden")...)
			}
		}
		add(t, crowd, conv, first, msgs...)
		add(t, alone, conv, first, msgs...)
		for _, text := range []string{"apple", "cheese garden", "engine forest Oskar", "island"} {
			q := Query{Text: text, Spans: []Span{{conv, 0, first + len(msgs)}}}
			if got, want := search(t, crowd, q), search(t, alone, q); !slices.Equal(got, want) {
				t.Errorf("%q from %d: among others %v, alone %v", text, first, got, want)
			}
		}
	}
}

// TestSearchCache checks that the caches of searches change no answer: after every change, and for
// a snapshot from before it, a long-used index answers as a new one does.
func TestSearchCache(t *testing.T) {
	s := storetest.Open(t)
	rapid.Check(t, func(rt *rapid.T) {
		said := map[uint32][]dialogue.Message{}
		defer func() {
			for conv, msgs := range said {
				remove(t, s, conv, 0, msgs...)
			}
		}()
		for range rapid.IntRange(1, 12).Draw(rt, "changes") {
			before := s.Snapshot()
			conv := rapid.Uint32Range(groupSize-2, groupSize+1).Draw(rt, "conversation")
			if n := len(said[conv]); n > 0 && rapid.Bool().Draw(rt, "remove") {
				from := rapid.IntRange(0, n-1).Draw(rt, "from")
				remove(t, s, conv, from, said[conv][from:]...)
				said[conv] = said[conv][:from:from]
			} else {
				msgs := rapid.SliceOfN(rapid.Custom(drawMessage), 1, 4).Draw(rt, "messages")
				add(t, s, conv, n, msgs...)
				said[conv] = append(said[conv], msgs...)
			}
			q := Query{Text: rapid.SampledFrom(vocabulary).Draw(rt, "word") + " apple ines"}
			if rapid.Bool().Draw(rt, "scoped") {
				q.Spans = []Span{{conv, 1, 6}, {conv + 1, 0, 3}}
			}
			for _, r := range []store.Reader{s, before, s} {
				fresh, err := New(wordTerms, rand.Reader)
				if err != nil {
					t.Fatal(err)
				}
				want, err := fresh.Search(t.Context(), store.View{Reader: r, Workspace: 1}, q)
				if err != nil {
					t.Fatal(err)
				}
				if got := search(t, r, q); !slices.Equal(got, want) {
					rt.Fatalf("kept %v, read anew %v", got, want)
				}
			}
			if err := before.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestPostingKeepsItsParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		conv := rapid.Uint32().Draw(rt, "conversation")
		message := rapid.IntRange(0, 1<<30).Draw(rt, "message")
		weight, length := rapid.Uint8().Draw(rt, "weight"), rapid.Uint8().Draw(rt, "length")
		p := at(appendPosting(nil, newPosting(conv, message, weight, length)))
		if p.member() != conv%groupSize || int(p.message()) != message%blockSize ||
			p.weight() != min(weight, maxWeight) || p.length() != length {
			rt.Fatalf("posting %x of %d, %d, %d, %d", p, conv, message, weight, length)
		}
	})
}
