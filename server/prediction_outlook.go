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

// foresight holds the predictions of a process: an outlook for each root in which an editor reports
// what the person is looking at. Safe for concurrent use.
type foresight struct {
	warm *warm
	work timeBudget // spent on compiling

	mu       sync.Mutex // guards all below, and the contents of the outlooks
	outlooks map[string]*outlook
	// foreseers compile for the sessions whose editors reported a person.
	foreseers map[*session.Session]*foreseer
	counts    command.PredictionMetrics
}

// outlook holds the predictions for one root. It belongs to the editor that reported the person
// last.
type outlook struct {
	by   *foreseer
	seen command.PresenceArgs
	at   time.Time // of seen
	// habit is the usual form of requests for bundles, and last the latest request; nil before the
	// first.
	habit, last *command.BundleArgs
	asked       []question // not learned from yet
	weights     *predict.Weights
	predicted   []expectedPrediction // last
	// compiledFor is the state for which all predictions were compiled; the zero value when they
	// have changed.
	compiledFor compiledState
	files       map[warmKey][]string
}

// expectedPrediction is a prediction with the requests that would be made if it comes true.
type expectedPrediction struct {
	predict.Prediction
	requests []warmKey
}

// question is a request for a bundle.
type question struct {
	conversation, prompt string
	files                []string // its first ones
}

// firstFiles is how many files of an answer must have been predicted for it to count.
const firstFiles = 5

// maxQuestions bounds the questions waiting to be learned from.
const maxQuestions = 64

func newForesight(now func() time.Time) *foresight {
	return &foresight{warm: newWarm(), work: timeBudget{now: now}, outlooks: map[string]*outlook{}, foreseers: map[*session.Session]*foreseer{}}
}

// outlook returns that of a root; nil when no editor reports on it.
func (f *foresight) outlook(root string) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outlooks[root]
}

// outlookOf returns that of a root if it belongs to the foreseer; nil otherwise.
func (f *foresight) outlookOf(root string, by *foreseer) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.outlooks[root]; o != nil && o.by == by {
		return o
	}
	return nil
}

// look records an editor's report about a person in a root.
func (f *foresight) look(root string, by *foreseer, args *command.PresenceArgs, now time.Time) *outlook {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.outlooks[root]
	if o == nil {
		o = &outlook{}
		f.outlooks[root] = o
	}
	o.by, o.seen, o.at, o.compiledFor = by, *args, now, compiledState{}
	return o
}

// isDone reports whether everything that can be compiled for the present state is.
func (f *foresight) isDone(o *outlook, now compiledState) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return o.compiledFor != compiledState{} && o.compiledFor == now
}

// done records that everything is compiled.
func (f *foresight) done(o *outlook, now compiledState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(o.asked) == 0 {
		o.compiledFor = now
	}
}

// unlearn discards what was learned in a root.
func (f *foresight) unlearn(root string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o := f.outlooks[root]; o != nil {
		o.weights, o.asked = nil, nil
	}
}

// present reports whether a person is present according to the editor's last report.
func (f *foresight) present(o *outlook, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return now.Sub(o.at) < presentFor && (o.seen.IdleSince == nil || now.Sub(o.seen.IdleSince.Time) < presentFor)
}

// leave removes a foreseer and its outlooks, with what was compiled for them.
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

// asked records a request for a bundle; the session that has the outlook learns from it later.
func (f *foresight) asked(r *session.RootView, args *command.BundleArgs, m *builtBundle, ready bool) {
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
	o.last, o.habit, o.compiledFor = args, habitOf(args), compiledState{}
	o.by.foresee()
}

// countLocked counts a prompt unless it repeats the previous one. The caller must hold mu.
func (f *foresight) countLocked(o *outlook, args *command.BundleArgs, m *builtBundle) {
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

// shows reports whether a file is in one of the bundles that were compiled in advance.
func (o *outlook) shows(file string) bool {
	for _, files := range o.files {
		if slices.Contains(files, file) {
			return true
		}
	}
	return false
}

// figures returns the counts.
func (f *foresight) figures() command.PredictionMetrics {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.counts
	out.SpentMS = command.Milliseconds(f.work.total())
	return out
}

// compiled records which files the bundle compiled for a request shows.
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

// habitOf returns a request without what belongs to one prompt alone.
func habitOf(args *command.BundleArgs) *command.BundleArgs {
	h := *args
	h.Prompt, h.ConversationID, h.Frame = "", "", ""
	h.TextDocument, h.Position, h.Selection, h.VisibleDocuments = nil, nil, nil, nil
	h.Include, h.Omit = nil, nil
	return &h
}

// filesOf lists the files of a bundle's places, the best first.
func filesOf(m *builtBundle) []string {
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

// predictionNote is the name under which a workspace stores what its outlook has learned.
const predictionNote = "prediction"

// learn learns from the questions since the last call. topics are those that questions may be
// about. It returns what is to be stored, nil for nothing new.
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

// cameTrue reports whether a question was predicted: that its conversation continues, or its
// subject.
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

// speaksOf reports whether a text contains a name, possibly as the stem of a word.
func speaksOf(text, name string) bool {
	return name != "" && strings.Contains(strings.ToLower(text), strings.ToLower(name))
}

// timeBudget bounds the time spent on background work: a share of all time, some of which may be
// saved up. Safe for concurrent use.
type timeBudget struct {
	now func() time.Time

	mu    sync.Mutex // guards all below
	saved time.Duration
	at    time.Time
	spent time.Duration
}

const (
	effortShare = .02              // of one processor
	maxEffort   = 10 * time.Second // that may be saved up
)

// left returns the time that may be spent now.
func (e *timeBudget) left() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	switch passed := now.Sub(e.at); {
	case e.at.IsZero():
		e.saved = maxEffort / 2
	case passed > 0:
		e.saved = min(e.saved+time.Duration(float64(passed)*effortShare), maxEffort)
	}
	e.at = now
	return e.saved
}

// spend counts time that was spent.
func (e *timeBudget) spend(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.saved -= d
	e.spent += d
}

// total returns all the time spent.
func (e *timeBudget) total() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.spent
}
