package server

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/context/predict"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/session"
)

// foresight is what a process expects to be asked next: for each root in which an editor tells what
// the person looks at, an outlook. Safe for concurrent use.
type foresight struct {
	warm *warm
	work effort // of compiling ahead

	mu       sync.Mutex // guards all below, and what is in the outlooks
	outlooks map[string]*outlook
	// foreseers compile ahead for the sessions whose editors told of a person.
	foreseers map[*session.Session]*foreseer
	counts    command.PredictionMetrics
}

// outlook is what is expected in one root. The editor that told of the person last has it.
type outlook struct {
	by   *foreseer
	seen command.PresenceArgs
	at   time.Time // of seen
	// habit is how bundles are asked for, last the request that was made last; nil before any was.
	habit, last *command.BundleArgs
	asked       []question // that nothing was learned of yet
	weights     *predict.Weights
	predicted   []foreseen // last
	// compiledFor is what things were like when all was compiled that was predicted; the zero value
	// after news.
	compiledFor sight
	files       map[warmKey][]string
}

// foreseen is a prediction and the requests that would be made if it comes true.
type foreseen struct {
	predict.Prediction
	requests []warmKey
}

// question is a bundle that somebody asked for.
type question struct {
	conversation, prompt string
	files                []string // its first ones
}

// firstFiles is how many files of an answer must have been foreseen for it to count.
const firstFiles = 5

// maxQuestions bounds what waits to be learned of.
const maxQuestions = 64

func newForesight(now func() time.Time) *foresight {
	return &foresight{warm: newWarm(), work: effort{now: now}, outlooks: map[string]*outlook{}, foreseers: map[*session.Session]*foreseer{}}
}

// outlook returns that of a root; nil where no editor tells of it.
func (f *foresight) outlook(root string) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outlooks[root]
}

// outlookOf returns that of a root where a foreseer has it; nil where it has not.
func (f *foresight) outlookOf(root string, by *foreseer) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.outlooks[root]; o != nil && o.by == by {
		return o
	}
	return nil
}

// look takes what an editor tells of a person in a root.
func (f *foresight) look(root string, by *foreseer, args *command.PresenceArgs, now time.Time) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.outlooks[root]
	if o == nil {
		o = &outlook{}
		f.outlooks[root] = o
	}
	o.by, o.seen, o.at, o.compiledFor = by, *args, now, sight{}
	return o
}

// isDone reports whether all is compiled that can be by what things are like now.
func (f *foresight) isDone(o *outlook, now sight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return o.compiledFor != sight{} && o.compiledFor == now
}

// done notes that all is compiled.
func (f *foresight) done(o *outlook, now sight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(o.asked) == 0 {
		o.compiledFor = now
	}
}

// unlearn forgets what was learned in a root.
func (f *foresight) unlearn(root string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.outlooks[root]; o != nil {
		o.weights, o.asked = nil, nil
	}
}

// present reports whether a person is there by what an editor told last.
func (f *foresight) present(o *outlook, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Sub(o.at) < presentFor && (o.seen.IdleSince == nil || now.Sub(o.seen.IdleSince.Time) < presentFor)
}

// leave forgets a foreseer and the outlooks that it had, with what was compiled for them.
func (f *foresight) leave(by *foreseer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.foreseers, by.session)
	for root, o := range f.outlooks {
		if o.by == by {
			delete(f.outlooks, root)
			f.warm.clear(root)
		}
	}
}

// asked notes that a bundle was asked for; what it teaches is learned later, by the session that
// has the outlook.
func (f *foresight) asked(r *session.RootView, args *command.BundleArgs, m *made, ready bool) {
	if r == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.outlooks[r.Real]
	if o == nil {
		return
	}
	if ready {
		f.counts.Ready++
	}
	if o.last == nil || o.last.Prompt != args.Prompt || o.last.ConversationID != args.ConversationID {
		f.countLocked(o, args, m)
	}
	o.last, o.habit, o.compiledFor = args, habitOf(args), sight{}
	o.by.foresee()
}

// countLocked notes a prompt that was not asked about right before. mu is held.
func (f *foresight) countLocked(o *outlook, args *command.BundleArgs, m *made) {
	files := filesOf(m)
	files = files[:min(firstFiles, len(files))]
	f.counts.Asked++
	if len(files) > 0 && !slices.ContainsFunc(files, func(file string) bool { return !o.shows(file) }) {
		f.counts.Foreseen++
	}
	if len(o.asked) < maxQuestions {
		o.asked = append(o.asked, question{args.ConversationID, args.Prompt, files})
	}
}

// shows reports whether a file is in one of the bundles that were compiled ahead.
func (o *outlook) shows(file string) bool {
	for _, files := range o.files {
		if slices.Contains(files, file) {
			return true
		}
	}
	return false
}

// figures are what was counted.
func (f *foresight) figures() command.PredictionMetrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.counts
	out.SpentMS = command.Milliseconds(f.work.total())
	return out
}

// compiled notes which files a bundle shows that was compiled for a request.
func (f *foresight) compiled(root string, key warmKey, files []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.Compiled++
	if o := f.outlooks[root]; o != nil {
		if o.files == nil {
			o.files = map[warmKey][]string{}
		}
		o.files[key] = files
	}
}

// habitOf is a request without what is of one prompt alone.
func habitOf(args *command.BundleArgs) *command.BundleArgs {
	h := *args
	h.Prompt, h.ConversationID, h.Frame = "", "", ""
	h.TextDocument, h.Position, h.Selection, h.VisibleDocuments = nil, nil, nil, nil
	h.Include, h.Omit = nil, nil
	return &h
}

// filesOf lists the files that a bundle shows places of, the best first.
func filesOf(m *made) []string {
	best := map[string]float64{}
	var out []string
	for _, it := range m.bundle.Items {
		if it.Path == "" || it.Kind != "code" && it.Kind != "doc" && it.Kind != "entity" {
			continue
		}
		if _, known := best[it.Path]; !known {
			out = append(out, it.Path)
		}
		best[it.Path] = max(best[it.Path], it.Score)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(best[b], best[a]) })
	return out
}

// predictionNote is the name under which a workspace keeps what its outlook has learned.
const predictionNote = "prediction"

// learn learns of what was asked since. topics are those that questions may be about. It returns
// what is to be kept of it, nil for nothing new.
func (o *outlook) learn(topics []predict.Topic, hour int) []byte {
	if len(o.asked) == 0 {
		return nil
	}
	list := make([]predict.Prediction, len(o.predicted))
	requests := make(map[*predict.Prediction][]warmKey, len(list))
	for i, p := range o.predicted {
		list[i] = p.Prediction
		requests[&list[i]] = p.requests
	}
	for _, q := range o.asked {
		o.weights.Learn(list, func(p *predict.Prediction) bool { return o.cameTrue(p, requests[p], q) })
		for _, t := range topics {
			if speaksOf(q.prompt, t.Name) {
				o.weights.Asked(t.Name, hour)
			}
		}
	}
	o.asked = nil
	return o.weights.Encode()
}

// cameTrue reports whether a question was predicted: that its conversation goes on, or what it is
// about.
func (o *outlook) cameTrue(p *predict.Prediction, requests []warmKey, q question) bool {
	if p.Signal == predict.Active || p.Signal == predict.Visible {
		return p.Conversation == q.conversation
	}
	if speaksOf(q.prompt, p.Topic) || speaksOf(q.prompt, p.Entity) {
		return true
	}
	shown := 0
	for _, file := range q.files {
		if slices.ContainsFunc(requests, func(k warmKey) bool { return slices.Contains(o.files[k], file) }) {
			shown++
		}
	}
	return shown > 0 && 2*shown >= len(q.files)
}

// speaksOf reports whether a text has a name, which may be the stem of a word.
func speaksOf(text, name string) bool {
	return name != "" && strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

// effort bounds the time that is spent on what nobody waits for: a share of all time, some of which
// may be saved up. Safe for concurrent use.
type effort struct {
	now func() time.Time

	mu    sync.Mutex // guards all below
	saved time.Duration
	at    time.Time
	spent time.Duration
}

const (
	effortShare = .02              // of one processor
	effortMost  = 10 * time.Second // that may be saved up
)

// left is the time that may be spent now.
func (e *effort) left() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	switch passed := now.Sub(e.at); {
	case e.at.IsZero():
		e.saved = effortMost / 2
	case passed > 0:
		e.saved = min(e.saved+time.Duration(float64(passed)*effortShare), effortMost)
	}
	e.at = now
	return e.saved
}

// spend counts time that was spent.
func (e *effort) spend(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saved -= d
	e.spent += d
}

// total is all that was spent.
func (e *effort) total() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spent
}
