package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/contexture-dev/contexture/context/predict"
	"github.com/contexture-dev/contexture/memory"
	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/subject"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/session"
	"github.com/contexture-dev/contexture/server/transport"
)

// Presence implements command.Commands.
func (c bundleCommands) Presence(ctx context.Context, args *command.PresenceArgs) (*command.PresenceResult, error) {
	r, err := c.Root(args.Workspace)
	if err != nil {
		return nil, err
	}
	out := &command.PresenceResult{Predictions: []command.Prediction{}}
	if r == nil {
		return out, nil // it can answer only from memory and buffers
	}
	if !r.Settings.Enabled {
		return nil, session.ErrSwitchedOff
	}
	if !r.Settings.Prediction.Enabled {
		return nil, command.Unavailable("prediction, by the setting prediction.enabled,")
	}
	f, by := c.server.foresight, c.server.foreseer(c.Session)
	o := f.look(r.Real, by, args, c.server.Now())
	list, err := c.foresee(ctx, r, o)
	if err != nil {
		return nil, err
	}
	by.foresee()
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range list {
		p := &list[i]
		out.Predictions = append(out.Predictions, command.Prediction{
			Type: p.Type(), ConversationID: p.Conversation, Topic: p.Topic, Entity: p.Entity, Probability: p.Probability,
			RequiredBundles: p.Parts(), Warm: o.isWarm(f.warm, p),
		})
	}
	return out, nil
}

// isWarm reports whether all bundles of a prediction are ready. The caller must hold the
// foresight's mutex.
func (o *outlook) isWarm(w *warm, p *predict.Prediction) bool {
	for i := range o.predicted {
		q := &o.predicted[i]
		if q.Signal != p.Signal || q.Conversation != p.Conversation || q.Topic != p.Topic || q.Entity != p.Entity {
			continue
		}
		return len(q.requests) > 0 && !slices.ContainsFunc(q.requests, func(k warmKey) bool { return !w.has(k) })
	}
	return false
}

// foresee predicts the next requests, and learns from those made since the last call.
func (c bundleCommands) foresee(ctx context.Context, r *session.RootView, o *outlook) ([]predict.Prediction, error) {
	f, now := c.server.foresight, c.server.Now()
	f.mu.Lock()
	seen := o.seen
	f.mu.Unlock()
	sit := predict.Situation{Now: now}
	c.gatherVisits(&sit, r, &seen)
	hour := now.Hour()
	if seen.LocalTime != nil {
		hour = seen.LocalTime.Hour()
	}
	w, stored, err := c.gatherTalks(ctx, &sit, r, &seen)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if o.weights == nil {
		o.weights = predict.Decode(stored)
	}
	note := o.learn(sit.Topics, hour)
	for i := range sit.Topics {
		sit.Topics[i].Usual = o.weights.Usual(sit.Topics[i].Name, hour)
	}
	list := predict.Predict(sit, o.weights)
	before := o.predicted
	o.predicted = make([]expectedPrediction, len(list))
	for i, p := range list {
		o.predicted[i].Prediction = p
		for _, b := range before {
			if b.Signal == p.Signal && b.Conversation == p.Conversation && b.Topic == p.Topic && b.Entity == p.Entity && slices.Equal(b.Bundles, p.Bundles) {
				o.predicted[i].requests = b.requests
			}
		}
	}
	f.mu.Unlock()
	if note != nil && w != nil {
		return list, engine.MemoryError(w.NoteLater(predictionNote, note))
	}
	return list, nil
}

// Bounds of what is read of the past for a prediction.
const (
	lastMessages   = 30 // of a conversation
	lastTurns      = 30
	ownThings      = 5 // mentioned by the conversation in focus
	otherThings    = 3 // mentioned by others
	otherWeight    = .6
	visitedThings  = 3
	replyTalks     = 8 // conversations whose short messages are counted
	replyBytes     = 24
	minReplies     = 2 // times that a reply must have occurred
	repliesAtMost  = 3
	thingStep      = .12 // decrease of the weight for each further thing
	longestVisited = 1000
)

// gatherTalks reads what memory has on the conversations in view. w is nil when memory is switched
// off or unavailable.
func (c bundleCommands) gatherTalks(ctx context.Context, sit *predict.Situation, r *session.RootView, seen *command.PresenceArgs) (w *memory.Workspace, stored []byte, err error) {
	if !r.Settings.Memory.Enabled {
		return nil, nil, nil
	}
	if w, err = c.memoryOf(ctx, r); err != nil {
		return nil, nil, ctx.Err() // bundles report what is missing; the visited locations are still known
	}
	v := w.View()
	defer v.Close()
	g := situationReader{v, sit}
	focus, err := g.focus(seen.ActiveConversationID)
	if err != nil {
		return nil, nil, engine.MemoryError(err)
	}
	active, err := g.talk(focus, &sit.Active)
	if err != nil {
		return nil, nil, engine.MemoryError(err)
	}
	for _, id := range seen.VisibleConversationIDs[:min(replyTalks, len(seen.VisibleConversationIDs))] {
		var t predict.Talk
		if _, err := g.talk(id, &t); err != nil {
			return nil, nil, engine.MemoryError(err)
		}
		sit.Visible = append(sit.Visible, t)
	}
	for _, step := range []func() error{func() error { return g.things(active) }, g.replies, g.topics} {
		if err := step(); err != nil {
			return nil, nil, engine.MemoryError(err)
		}
	}
	stored, err = v.Note(predictionNote)
	return w, stored, engine.MemoryError(err)
}

// situationReader reads one state of memory for a prediction.
type situationReader struct {
	view *memory.View
	sit  *predict.Situation
}

// liveFor is how long after its last message a conversation counts as current when an editor names
// none: it may be held in a terminal.
const liveFor = 30 * time.Minute

// focus returns the current conversation: the one that an editor names, else the latest, while it
// is recent.
func (g *situationReader) focus(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	list, _, err := g.view.Conversations.List(1, "")
	if err != nil || len(list) == 0 || g.sit.Now.Sub(list[0].LastAt) > liveFor {
		return "", err
	}
	return list[0].ID, nil
}

// talk reads the end of a conversation. One that does not exist yet has none.
func (g *situationReader) talk(id string, t *predict.Talk) (conversation.Info, error) {
	t.ID = id
	if id == "" {
		return conversation.Info{}, nil
	}
	info, err := g.view.Conversations.Find(id)
	if errors.Is(err, conversation.ErrNotFound) {
		return conversation.Info{}, nil
	}
	if err != nil {
		return conversation.Info{}, err
	}
	list, err := g.view.Messages.Latest(info, lastMessages)
	for _, m := range list {
		switch said := strings.TrimSpace(m.Message.Content); {
		case said == "" || m.Message.Role == dialogue.Tool:
		case m.Message.Role == dialogue.User:
			t.Asked = said
			return info, nil
		case m.Message.Role == dialogue.Assistant && t.Answered == "":
			t.Answered = said
		}
	}
	return info, err
}

// things reads which files and symbols were mentioned recently.
func (g *situationReader) things(active conversation.Info) error {
	if active.Turns > 0 {
		ledger, err := g.view.Ledger(active, max(1, active.Turns-lastTurns+1), active.Turns)
		if err != nil {
			return fmt.Errorf("read what the conversation mentions: %w", err)
		}
		g.mentioned(ledger.Latest(ownThings), 1, active.LastAt)
	}
	latest, _, err := g.view.Conversations.List(1, "")
	if err != nil || len(latest) == 0 {
		return err
	}
	lately, err := g.view.Lately(active)
	if err != nil {
		return fmt.Errorf("read what conversations mention: %w", err)
	}
	g.mentioned(lately.Latest(otherThings), otherWeight, latest[0].LastAt)
	return nil
}

func (g *situationReader) mentioned(list []subject.DatedMention, weight float64, at time.Time) {
	for i, m := range list {
		addThing(g.sit, predict.Thing{Name: m.Name, Weight: max(weight-thingStep*float64(i), 0), Last: at})
	}
}

// addThing adds a file or symbol, or raises the existing one.
func addThing(sit *predict.Situation, t predict.Thing) {
	for i := range sit.Entities {
		if e := &sit.Entities[i]; e.Name == t.Name {
			e.Weight = max(e.Weight, t.Weight)
			if t.Last.After(e.Last) {
				e.Last = t.Last
			}
			return
		}
	}
	sit.Entities = append(sit.Entities, t)
}

// replies counts the short messages of people that recur.
func (g *situationReader) replies() error {
	list, _, err := g.view.Conversations.List(replyTalks, "")
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, info := range list {
		latest, err := g.view.Messages.Latest(info, lastMessages)
		if err != nil {
			return err
		}
		for _, m := range latest {
			if said := m.Message.Content; m.Message.Role == dialogue.User && 0 < len(said) && len(said) <= replyBytes && utf8.ValidString(said) {
				counts[said]++
			}
		}
	}
	for said, n := range counts {
		if n >= minReplies {
			g.sit.Replies = append(g.sit.Replies, said)
		}
	}
	slices.SortFunc(g.sit.Replies, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })
	g.sit.Replies = g.sit.Replies[:min(repliesAtMost, len(g.sit.Replies))]
	return nil
}

func (g *situationReader) topics() error {
	found, err := g.view.Subjects.All()
	if err != nil {
		return err
	}
	for _, t := range found.Topics {
		g.sit.Topics = append(g.sit.Topics, predict.Topic{Name: t.Label, Weight: t.Weight, Last: t.Last})
	}
	return nil
}

// gatherVisits collects the locations that an editor reports, except those outside the root.
func (c bundleCommands) gatherVisits(sit *predict.Situation, r *session.RootView, seen *command.PresenceArgs) {
	var recent []string
	note := func(place string, at time.Time) {
		path, ok := visited(r, place)
		if !ok {
			return
		}
		sit.Visits = append(sit.Visits, predict.Visit{Path: path, At: at})
		recent = append(recent, path)
	}
	for _, v := range seen.Navigation {
		note(v.Path, v.At.Time)
	}
	if seen.ActiveDocument != "" {
		note(seen.ActiveDocument, sit.Now)
	}
	weight := 1.0
	for _, path := range slices.Backward(recent) {
		if !slices.ContainsFunc(sit.Entities, func(t predict.Thing) bool { return t.Name == path }) {
			addThing(sit, predict.Thing{Name: path, Weight: weight, Last: sit.Now})
			weight -= thingStep
		}
		if len(sit.Entities) == visitedThings {
			break
		}
	}
}

// visited returns the path, relative to a root, of a location given as a path or a URI.
func visited(r *session.RootView, place string) (string, bool) {
	if len(place) > longestVisited {
		return "", false
	}
	if u, err := url.Parse(place); err == nil && u.Scheme != "" && len(u.Scheme) > 1 {
		path, ok := transport.FilePath(place)
		if !ok {
			return "", false
		}
		place = path
	}
	if filepath.IsAbs(place) {
		for _, root := range []string{r.Path, r.Real} {
			if rel, err := filepath.Rel(root, place); err == nil && filepath.IsLocal(rel) && rel != "." {
				return filepath.ToSlash(rel), true
			}
		}
		return "", false
	}
	return filepath.ToSlash(place), filepath.IsLocal(place)
}
