package server

import (
	"context"
	"math"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
)

// expand answers with one item in full, or in the longest form that the budget holds. An id that no answer gave is
// notFound.
func (k *recalling) expand(ctx context.Context) (*command.RecallResult, error) {
	id := k.args.Expand
	if place, ok := bundle.Signed(id); ok {
		id = place // which its signatures stand beside
	}
	switch kind, rest, _ := strings.Cut(id, ":"); {
	case strings.HasPrefix(id, "c-"):
		return k.expandCode(ctx, id)
	case kind == "topic":
		return k.expandFile(ctx, rest)
	case kind == "identity" || kind == "preference":
		return k.expandPersonal(kind, rest)
	}
	if k.view == nil {
		return nil, command.NotFound("item \"" + id + "\"")
	}
	forms, err := k.found.Expand(id)
	if err != nil {
		return nil, named(err, "item %q", id)
	}
	for i, m := range forms {
		n := k.count(memoBlock(m))
		if last := i == len(forms)-1; last && n > k.args.Budget {
			m.Body, m.Format = bundle.Shorten(m.Body, k.args.Budget-(n-k.count(m.Body))-expandSlack, k.count), "summary"
			if m.Body == "" {
				break
			}
		}
		if k.putMemo(id, m) {
			break
		}
	}
	return &k.out, nil
}

// expandSlack is what the seams between an element's body and its delimiters may cost, in tokens.
const expandSlack = 4

func memoBlock(m bundle.Memo) string {
	return render.Block(render.Item{Kind: m.Kind, Tag: m.Tag, Title: m.Title, Attrs: m.Attrs, Body: m.Body})
}

// putMemo answers with one memory if it fits the budget.
func (k *recalling) putMemo(id string, m bundle.Memo) bool {
	block := memoBlock(m)
	n := k.count(block)
	if n > k.args.Budget {
		return false
	}
	k.out.Text, k.out.Tokens = block, n
	k.out.Items = []command.Item{{
		ID: id, Layer: "L5_jit", Kind: m.Kind, Title: m.Title, Tokens: n, Score: m.Score, Format: m.Format, Reason: m.Reason, URI: m.URI,
		ConversationID: m.ConversationID, TurnID: m.TurnID, MessageIDs: m.MessageIDs, Span: &command.Span{End: len(block)},
	}}
	return true
}

// expandPersonal gives a text of the person's own or the project's rules.
func (k *recalling) expandPersonal(kind, name string) (*command.RecallResult, error) {
	for _, p := range k.personal(k.root, nil) {
		if p.Name != name || p.Identity != (kind == "identity") {
			continue
		}
		m := bundle.Memo{Kind: kind, Title: p.Name, Body: strings.TrimSpace(p.Text), Format: "full", Score: 1, Reason: "requested by its id", URI: p.URI}
		if !k.putMemo(kind+":"+name, m) {
			m.Body, m.Format = bundle.Shorten(m.Body, k.args.Budget-k.count(memoBlock(bundle.Memo{Kind: kind, Title: p.Name}))-expandSlack, k.count), "summary"
			k.putMemo(kind+":"+name, m)
		}
		return &k.out, nil
	}
	return nil, command.NotFound("item \"" + kind + ":" + name + "\"")
}

// expandCode finds the place that an id names. It looks at every piece of the workspace: an id tells a piece's path and
// lines by their hash only.
func (k *recalling) expandCode(ctx context.Context, id string) (*command.RecallResult, error) {
	return k.expandPieces(ctx, id, func(c indexer.Chunk) bool { return bundle.CodeID(c) == id }, 1)
}

// expandFile gives a file that introduces a folder, piece by piece.
func (k *recalling) expandFile(ctx context.Context, path string) (*command.RecallResult, error) {
	return k.expandPieces(ctx, "topic:"+path, func(c indexer.Chunk) bool { return c.Path == path }, math.MaxInt)
}

func (k *recalling) expandPieces(ctx context.Context, id string, wanted func(indexer.Chunk) bool, most int) (*command.RecallResult, error) {
	src, err := k.index(ctx)
	if err != nil {
		return nil, err
	}
	defer src.release()
	if src.snapshot == nil {
		k.out.Degraded = append(k.out.Degraded, src.lacks()...)
		return nil, command.NotFound("item \"" + id + "\"")
	}
	reader := src.snapshot.NewReader()
	found := 0
	for n := range src.snapshot.Chunks() {
		if !wanted(src.snapshot.Chunk(n)) {
			continue
		}
		chunk, text, gate := reader.Chunk(n)
		if gate != "" {
			continue
		}
		k.put(src, retrieve.Candidate{Chunk: n, Score: 1, Reasons: []string{"requested by its id"}}, chunk, strings.TrimRight(string(text), "\n"))
		if found++; found == most {
			break
		}
	}
	if found == 0 {
		return nil, command.NotFound("item \"" + id + "\"")
	}
	return &k.out, nil
}
