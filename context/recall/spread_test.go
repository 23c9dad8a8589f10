package recall

import (
	"context"
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/memory/recall"
)

// hitsOf makes hits of messages with the scores of their own words.
func hitsOf(own ...float64) []recall.Hit {
	out := make([]recall.Hit, len(own))
	for i, o := range own {
		out[i] = recall.Hit{Conversation: 1, Message: i, Score: o + .1, Own: o, Lent: .1}
	}
	return out
}

// TestLinksDoNotAffectRecency checks that links change no score in a query for the newest messages.
func TestLinksDoNotAffectRecency(t *testing.T) {
	s := dialog(t, 2, "heron Quill", "Quill", "heron", "no")
	hits := hitsOf(.9, 0, .5, 0)
	for _, req := range []Request{{Query: "heron", Recency: 1}, {Query: "heron", LeastShare: .4}} {
		got, err := spread(context.Background(), req, hits, s)
		if err != nil || !reflect.DeepEqual(got, hits) {
			t.Errorf("%+v: %+v, %v", req, got, err)
		}
	}
}
