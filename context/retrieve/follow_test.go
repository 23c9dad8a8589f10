package retrieve

import (
	"slices"
	"strings"
	"testing"
)

// TestFollowsTheConversation checks that a prompt without an object of its own is about the
// conversation's, including what calls it, and that a prompt with one is not.
func TestFollowsTheConversation(t *testing.T) {
	s := index(t, market())
	recent := []Recent{{Symbol: "checkStock"}, {Path: "store/stock.go"}}
	asked := func(prompt string, recent []Recent) (paths []string) {
		for _, c := range ask(s, prompt, func(r *Request) { r.Recent = recent }).Candidates {
			paths = append(paths, s.Chunk(c.Chunk).Path)
		}
		return paths
	}
	for _, c := range ask(s, "explain", func(r *Request) { r.Recent = recent }).Candidates {
		for _, why := range c.Reasons {
			if strings.Contains(why, "cursor") {
				t.Errorf("nobody has a cursor: %s", why)
			}
		}
	}
	for _, prompt := range openPrompts {
		got := asked(prompt, recent)
		if len(got) < 2 || got[0] != "store/stock.go" || !slices.Contains(got[:min(4, len(got))], "store/order.go") {
			t.Errorf("%q: %q", prompt, got)
		}
	}
	const own = "where is a bounced mail retried?"
	if got := asked(own, recent); len(got) == 0 || got[0] != "mail/bounce.go" {
		t.Errorf("%q: %q", own, got)
	}
	said := func(r *Request) {
		r.Recent, r.Said = recent, []string{"checkStock reports what is missing in the store, I changed it"}
	}
	for _, prompt := range []string{own, "how does a bounced mail get retried?", "handleBounce"} {
		var alone, followed []int
		for _, c := range ask(s, prompt).Candidates {
			alone = append(alone, c.Chunk)
		}
		for _, c := range ask(s, prompt, said).Candidates {
			followed = append(followed, c.Chunk)
		}
		if !slices.Equal(alone, followed) {
			t.Errorf("%q stands alone, but a conversation changes %v to %v", prompt, alone, followed)
		}
	}
	if got := asked("what is 17 % of 2340?", recent); slices.Contains(got, "store/stock.go") {
		t.Errorf("a sum brings %q", got)
	}
	if a, b := asked(own, nil), asked(own, []Recent{{Path: "gone.go"}, {Symbol: "nowhere"}}); !slices.Equal(a, b) {
		t.Errorf("what is not there changes %q to %q", a, b)
	}
}
