package session

import (
	"fmt"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/protocol"
)

// progressFrom is the number of waiting files from which progress is shown; it is always shown for
// the first run.
const progressFrom = 20

// progressAfter is the duration of a run of the offline learning from which progress is shown.
const progressAfter = time.Second

// progress reports long work by $/progress, if the client has accepted the token. It belongs to the
// status goroutine.
type progress struct {
	session *Session
	name    string // in tokens
	title   string
	runs    int
	asked   chan bool // the client's answer for the present run; nil while there is none
	token   string    // of the present run, once the client has agreed
	percent int       // of the present run; never decreases
}

// update begins, updates or ends the report on a run over an index.
func (p *progress) update(st *command.IndexStatusResult) {
	busy := st.State == string(indexer.Scanning) || st.State == string(indexer.Indexing)
	worth := st.IndexedAt.IsZero() || st.Queue >= progressFrom
	if embedding(st) && !busy {
		busy, worth = true, st.Embedder.Pending >= progressFrom
	}
	done, total, what := st.Files, st.FilesTotal, "files"
	if embedding(st) && st.State == string(indexer.Idle) {
		done, total, what = st.Embedder.Total-st.Embedder.Pending, st.Embedder.Total, "pieces embedded"
	}
	p.goOn(busy, worth, float64(done)/float64(max(1, total)), fmt.Sprintf("%d of %d %s", done, total, what))
}

// learn begins, updates or ends the report on a run of the offline learning.
func (p *progress) learn(st *command.LearningProgress) {
	if st == nil {
		p.goOn(false, false, 0, "")
		return
	}
	text := st.Stage
	if st.Total > 0 {
		text += fmt.Sprintf(": %d of %d", st.Done, st.Total)
	}
	if st.Waits != "" {
		text += "; waits for " + st.Waits
	}
	p.goOn(true, st.MS >= float64(progressAfter.Milliseconds()), st.Share, text)
}

// goOn begins, updates or ends the report on a run with a completed share. It begins only if worth
// is set.
func (p *progress) goOn(busy, worth bool, share float64, text string) {
	switch {
	case !p.session.client.progress:
	case busy && p.asked == nil && worth:
		p.ask()
	case busy && p.asked != nil:
		p.tell(share, text)
	case !busy:
		p.end()
	}
}

// embedding reports whether a model server's model has chunks to embed and is working.
func embedding(st *command.IndexStatusResult) bool {
	return st.Embedder.Total > 0 && st.Embedder.Pending > 0 && st.Embedder.Problem == ""
}

// ask requests a token from the client; its answer wakes the status goroutine.
func (p *progress) ask() {
	s := p.session
	p.runs++
	token := fmt.Sprintf("contexture/%s-%d", p.name, p.runs)
	asked := make(chan bool, 1)
	p.asked, p.token, p.percent = asked, token, -1
	s.tasks.Go(func() {
		err := s.call(protocol.MethodWindowWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: protocol.String(token)}, nil)
		asked <- err == nil
		s.Touch()
	})
}

// agreed reads the client's answer, and reports true once it has accepted.
func (p *progress) agreed() bool {
	select {
	case yes := <-p.asked:
		if !yes {
			p.token = ""
			return false
		}
		p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: p.title, Cancellable: new(false), Percentage: new(uint32(0))})
		p.percent = 0
	default:
	}
	return p.percent >= 0 && p.token != ""
}

func (p *progress) tell(share float64, text string) {
	if !p.agreed() {
		return
	}
	p.percent = max(p.percent, min(99, int(100*share)))
	p.send(&protocol.WorkDoneProgressReport{Kind: "report", Percentage: new(uint32(p.percent)), Message: new(text)})
}

// end ends the run, if there is one.
func (p *progress) end() {
	if p.asked == nil {
		return
	}
	if p.agreed() {
		p.send(&protocol.WorkDoneProgressEnd{Kind: "end"})
	}
	p.asked, p.token = nil, ""
}

// send sends a report; value is one of the protocol's three.
func (p *progress) send(value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		p.session.Log.Error("progress", "err", err)
		return
	}
	p.session.notify(protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(p.token), Value: raw})
}
