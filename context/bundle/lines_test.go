package bundle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/context/item"
	"github.com/contexture-dev/contexture/context/retrieve"
)

// TestFoldedLinesAreElided checks that folded lines which the conversation shows are a duplicate,
// and that of lines which it shows in part the rest is sent: the marks of folds are no new lines.
func TestFoldedLinesAreElided(t *testing.T) {
	code := []string{"package kiln", ""}
	code = append(code, "func quench(k Kiln) error {")
	for i := range 60 {
		code = append(code, fmt.Sprintf("\tstep%d(k.shelf, k.damper, k.gauge)", i))
	}
	code = append(code, "\tif vitrified := k.glaze(); vitrified {", "\t\treturn errVitrified", "\t}", "\treturn nil", "}")
	texts := shop()
	texts["kiln.go"] = strings.Join(code, "\n") + "\n"
	s := newWorkspace(t, texts).index()
	req := request("when is a vitrified glaze an error to quench?", 4000)
	req.Fill = retrieve.Relevant
	shownOf := func(said string) (shown *item.Item, dropped bool) {
		src := sources(s)
		if said != "" {
			src.Past = &memories{talk: Conversation{Messages: 2, Turns: 1, Tokens: 1200}, history: func(int) []item.Item {
				return []item.Item{{ID: "turns", Kind: "turn", Tag: "T-1-R", Body: "user: this one?\n" + said, Score: 1}}
			}}
		}
		b := made(t, req, src)
		for i := range b.Items {
			if b.Items[i].Path == "kiln.go" && b.Items[i].Format == "lines" {
				return &b.Items[i], false
			}
		}
		for _, d := range b.Dropped {
			dropped = dropped || d.Path == "kiln.go" && d.Reason == item.Duplicate
		}
		return nil, dropped
	}
	if shown, _ := shownOf(""); shown == nil || len(shown.Passages) < 2 {
		t.Fatalf("without a conversation there is %+v", shown)
	}
	if shown, dropped := shownOf(texts["kiln.go"]); shown != nil || !dropped {
		t.Errorf("what the conversation shows comes again: %+v", shown)
	}
}
