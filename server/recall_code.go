package server

import (
	"context"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/context/bundle"
	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/render"
	"github.com/contexture-dev/contexture/context/retrieve"
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
)

// places are those of the workspace that a recall found.
type places struct {
	src  *searched
	list []retrieve.Candidate
}

func (p *places) release() { p.src.release() }

func (p *places) any() bool { return len(p.list) > 0 }

// recallPlaces is how many places are looked at.
const recallPlaces = 60

// index opens the workspace's index; its release must be called.
func (k *recalling) index(ctx context.Context) (*searched, error) {
	return k.commands.open(ctx, k.root)
}

// code searches the workspace.
func (k *recalling) code(ctx context.Context, signals intent.Signals) (*places, error) {
	src, err := k.index(ctx)
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithTimeout(ctx, recallPatience)
	defer cancel()
	out := &places{src: src}
	k.out.Degraded = append(k.out.Degraded, src.lacks()...)
	if src.snapshot == nil {
		return out, nil
	}
	res := retrieve.Run(work, src.snapshot, retrieve.Request{
		Query: k.args.Query, Intent: signals, Limit: recallPlaces, Deadline: k.left(work), Builtin: src.models == nil,
	}, k.session.server.now)
	if err := ctx.Err(); err != nil {
		src.release()
		return nil, err
	}
	k.out.Degraded = append(k.out.Degraded, degradations(res.Degraded)...)
	out.list, _ = res.Filter(src.snapshot, retrieve.Relevant)
	return out, nil
}

// pack puts the best places into what is left of the budget.
func (k *recalling) pack(ctx context.Context, p *places) {
	if p.src.snapshot == nil {
		return
	}
	reader := p.src.snapshot.NewReader()
	for _, c := range p.list {
		if ctx.Err() != nil {
			return
		}
		chunk, text, gate := reader.Chunk(c.Chunk)
		if gate == "" {
			k.put(p.src, c, chunk, strings.TrimRight(string(text), "\n"))
		}
	}
}

// put adds a place if it fits.
func (k *recalling) put(src *searched, c retrieve.Candidate, chunk indexer.Chunk, text string) {
	kind := bundle.KindOf(chunk.Language)
	block := render.Block(render.Item{Kind: kind, Body: text, Attrs: []render.Attr{
		{Name: "path", Value: chunk.Path}, {Name: "lines", Value: strconv.Itoa(chunk.StartLine+1) + "-" + strconv.Itoa(chunk.EndLine+1)},
	}})
	n := k.count(block)
	if k.out.Tokens+n > k.args.Budget {
		return
	}
	title := chunk.Title
	if title == "" {
		title = chunk.Path
	}
	start := len(k.out.Text)
	k.out.Text += block
	k.out.Tokens += n
	k.out.Items = append(k.out.Items, command.Item{
		ID: bundle.CodeID(chunk), Layer: "L5_jit", Kind: kind, Title: title, Tokens: n, Score: c.Score, Format: "full",
		Reason: strings.Join(c.Reasons[:min(3, len(c.Reasons))], "; "), URI: src.uri(chunk.Path), Symbols: chunk.Symbols,
		Range: lineRange(k.session.encoding, chunk.StartLine, chunk.EndLine, text[strings.LastIndexByte(text, '\n')+1:]),
		Span:  &command.Span{Start: start, End: len(k.out.Text)},
	})
}
