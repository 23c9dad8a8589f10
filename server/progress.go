package server

import (
	"fmt"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"go.lsp.dev/protocol"
)

// progressFrom is the number of waiting files from which on it is worth telling; the first run is always told.
const progressFrom = 20

// progress tells of indexing by $/progress, where the client has agreed to the token. Of the status goroutine.
type progress struct {
	session *Session
	runs    int
	asked   chan bool // the client's answer for the present run; nil while there is none
	token   string    // of the present run, once the client has agreed
	percent int       // of the present run; never falls
}

// update begins, goes on or ends a run.
func (p *progress) update(st *command.IndexStatusResult) {
	busy := st.State == string(indexer.Scanning) || st.State == string(indexer.Indexing)
	worth := st.IndexedAt.IsZero() || st.Queue >= progressFrom
	if embedding(st) && !busy {
		busy, worth = true, st.Embedder.Pending >= progressFrom
	}
	switch {
	case !p.session.client.progress:
	case busy && p.asked == nil && worth:
		p.ask()
	case busy && p.asked != nil:
		p.tell(st)
	case !busy:
		p.end()
	}
}

// embedding reports whether a model server's model has chunks to embed and goes on with it.
func embedding(st *command.IndexStatusResult) bool {
	return st.Embedder.Total > 0 && st.Embedder.Pending > 0 && st.Embedder.Problem == ""
}

// ask asks the client for a token; its answer makes the status goroutine look again.
func (p *progress) ask() {
	s := p.session
	p.runs++
	token := fmt.Sprintf("contexture/index-%d", p.runs)
	asked := make(chan bool, 1)
	p.asked, p.token, p.percent = asked, token, -1
	s.tasks.Go(func() {
		err := s.call(protocol.MethodWindowWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: protocol.String(token)}, nil)
		asked <- err == nil
		s.touch()
	})
}

// agreed takes the client's answer: true once it has said yes.
func (p *progress) agreed() bool {
	select {
	case yes := <-p.asked:
		if !yes {
			p.token = ""
			return false
		}
		p.send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Indexing", Cancellable: new(false), Percentage: new(uint32(0))})
		p.percent = 0
	default:
	}
	return p.percent >= 0 && p.token != ""
}

func (p *progress) tell(st *command.IndexStatusResult) {
	if !p.agreed() {
		return
	}
	done, total, what := st.Files, st.FilesTotal, "files"
	if embedding(st) && st.State == string(indexer.Idle) {
		done, total, what = st.Embedder.Total-st.Embedder.Pending, st.Embedder.Total, "pieces embedded"
	}
	if total > 0 {
		p.percent = max(p.percent, min(99, done*100/total))
	}
	p.send(&protocol.WorkDoneProgressReport{
		Kind: "report", Percentage: new(uint32(p.percent)), Message: new(fmt.Sprintf("%d of %d %s", done, total, what)),
	})
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

// send tells of the run; value is one of the protocol's three.
func (p *progress) send(value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		p.session.log.Error("progress", "err", err)
		return
	}
	p.session.notify(protocol.MethodProgress, &protocol.ProgressParams{Token: protocol.String(p.token), Value: raw})
}
