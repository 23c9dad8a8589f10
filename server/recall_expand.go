package server

import (
	"context"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/server/command"
)

// expand answers with one item in full, or in the longest form that the budget holds. An id that no answer gave is
// notFound.
func (k *recalling) expand(ctx context.Context) (*command.RecallResult, error) {
	id := k.args.Expand
	if strings.HasPrefix(id, "c-") {
		return k.expandCode(ctx, id)
	}
	if k.view == nil {
		return nil, command.NotFound("item \"" + id + "\"")
	}
	forms, err := k.found.Expand(id)
	if err != nil {
		return nil, named(err, "item %q", id)
	}
	for _, m := range forms {
		block := render.Block(render.Item{Kind: m.Kind, Tag: m.Tag, Title: m.Title, Attrs: m.Attrs, Body: m.Body})
		n := k.count(block)
		if n > k.args.Budget {
			continue
		}
		k.out.Text, k.out.Tokens = block, n
		k.out.Items = []command.Item{{
			ID: id, Layer: "L5_jit", Kind: m.Kind, Title: m.Title, Tokens: n, Score: m.Score, Format: m.Format, Reason: m.Reason,
			ConversationID: m.ConversationID, TurnID: m.TurnID, MessageIDs: m.MessageIDs, Span: &command.Span{End: len(block)},
		}}
		break
	}
	return &k.out, nil
}

// expandCode finds the place that an id names. It looks at every piece of the workspace: an id tells a piece's path and
// lines by their hash only.
func (k *recalling) expandCode(ctx context.Context, id string) (*command.RecallResult, error) {
	work, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	src, err := k.openFor(work, k.root)
	if err != nil {
		return nil, err
	}
	defer src.release()
	if src.snapshot == nil {
		k.out.Degraded = append(k.out.Degraded, src.lacks()...)
		return nil, command.NotFound("item \"" + id + "\"")
	}
	reader := src.snapshot.NewReader()
	for n := range src.snapshot.Chunks() {
		if bundle.CodeID(src.snapshot.Chunk(n)) != id {
			continue
		}
		chunk, text, gate := reader.Chunk(n)
		if gate == "" {
			k.put(src, retrieve.Candidate{Chunk: n, Score: 1, Reasons: []string{"was asked for"}}, chunk, strings.TrimRight(string(text), "\n"))
			return &k.out, nil
		}
	}
	return nil, command.NotFound("item \"" + id + "\"")
}
