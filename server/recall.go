package server

import (
	"context"
	"time"

	"github.com/contexture-dev/contexture/context/intent"
	"github.com/contexture-dev/contexture/context/recall"
	"github.com/contexture-dev/contexture/context/remember"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/server/command"
)

const (
	// recallPatience bounds what a recall waits for the index; it has no deadline of its own.
	recallPatience = time.Second
	// codeShare is the part of a recall's budget for the workspace's own text where everything is asked for.
	codeShare = .4
)

// Recall implements command.Commands.
func (c commands) Recall(ctx context.Context, args *command.RecallArgs) (*command.RecallResult, error) {
	if args.Query == "" && args.Expand == "" {
		return nil, command.InvalidParams("query", "is required unless expand is given")
	}
	r, err := c.root(args.Workspace)
	if err != nil {
		return nil, err
	}
	counter, err := counterOf(c.settingsOf(r).Budget.Encoding)
	if err != nil {
		return nil, err
	}
	if err := c.enterPatiently(ctx, r, recallPatience); err != nil {
		return nil, err
	}
	args.Query = c.query(r, args.Query)
	k := &recalling{commands: c, args: args, root: r, count: counter.Count}
	if err := k.open(ctx); err != nil {
		return nil, err
	}
	defer k.close()
	if args.Expand != "" {
		return k.expand(ctx)
	}
	return k.answer(ctx)
}

// recalling is one recall under way.
type recalling struct {
	commands
	args  *command.RecallArgs
	root  *rootView
	count func(string) int
	view  *memory.View // nil where memory cannot be read
	found *remember.Found
	out   command.RecallResult
}

// open takes the view. Without memory the answer is what the code gives, and says so.
func (k *recalling) open(ctx context.Context) error {
	w, err := k.memoryOf(ctx, k.root)
	if err != nil {
		if k.args.ConversationID != "" || !k.wantsCode() {
			return err
		}
		k.out.Degraded = append(k.out.Degraded, command.Degradation{Stage: "memory", Reason: "error", Detail: err.Error()})
		return nil
	}
	k.view = w.View()
	k.found = &remember.Found{View: k.view, Counter: k.count, Words: terms}
	if id := k.args.ConversationID; id != "" {
		info, err := k.view.Find(id)
		if err != nil {
			k.close()
			return named(err, "conversation %q", id)
		}
		k.found.Scope = &info
	}
	return nil
}

func (k *recalling) close() {
	if k.view != nil {
		k.view.Close()
	}
}

// answer searches memory, code or both.
func (k *recalling) answer(ctx context.Context) (*command.RecallResult, error) {
	signals := intent.Classify(k.args.Query, intent.Context{})
	req := recall.Request{Query: k.args.Query, Budget: k.args.Budget, MemoryType: k.args.MemoryType, Recency: signals.Recency}
	if req.MemoryType == "memory" {
		req.MemoryType = "any" // of what memory holds
	}
	var places *places
	if k.wantsCode() {
		var err error
		if places, err = k.code(ctx, signals); err != nil {
			return nil, err
		}
		defer places.release()
		if places.any() {
			req.Budget -= int(float64(req.Budget) * codeShare)
		}
		k.meaning(places.src)
	} else if k.root != nil && k.view != nil && !k.session.opts.NoIndex {
		src, err := k.index(ctx)
		if err != nil {
			return nil, err
		}
		defer src.release()
		k.meaning(src)
	}
	if k.view != nil && k.args.MemoryType != "code" {
		res, err := recall.Build(ctx, req, k.found)
		if err != nil {
			return nil, memoryError(err)
		}
		for _, it := range res.Items {
			k.out.Items = append(k.out.Items, recallItem(it))
		}
		k.out.Text, k.out.Tokens = res.Text, res.Tokens
	}
	if places != nil {
		k.pack(ctx, places)
	}
	return &k.out, nil
}

// meaning lets the workspace's embedder compare messages, where it has one.
func (k *recalling) meaning(src *searched) {
	if k.found != nil && src.snapshot != nil {
		k.found.Meanings = src.snapshot.Meanings
	}
}

// wantsCode reports whether the workspace's own text is asked for: by its name, or where everything is and no
// conversation is named.
func (k *recalling) wantsCode() bool {
	return k.args.MemoryType == "code" || k.args.MemoryType == "any" && k.args.ConversationID == ""
}

func recallItem(it recall.Item) command.Item {
	return command.Item{
		ID: it.ID, Layer: "L5_jit", Kind: it.Kind, Title: it.Title, Tokens: it.Tokens, Score: it.Score, Format: it.Format, Reason: it.Reason,
		ConversationID: it.ConversationID, TurnID: it.TurnID, MessageIDs: it.MessageIDs,
		Span: &command.Span{Start: it.Span.Start, End: it.Span.End},
	}
}
