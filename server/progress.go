package server

import (
	"fmt"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
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
	switch {
	case !p.session.client.Window.WorkDoneProgress:
	case busy && p.asked == nil && worth:
		p.ask()
	case busy && p.asked != nil:
		p.tell(st)
	case !busy:
		p.end()
	}
}

// ask asks the client for a token; its answer makes the status goroutine look again.
func (p *progress) ask() {
	s := p.session
	p.runs++
	token := fmt.Sprintf("contexture/index-%d", p.runs)
	asked := make(chan bool, 1)
	p.asked, p.token, p.percent = asked, token, -1
	s.tasks.Go(func() {
		err := s.conn.Call(s.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil)
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
		p.send(map[string]any{"kind": "begin", "title": "Indexing", "cancellable": false, "percentage": 0})
		p.percent = 0
	default:
	}
	return p.percent >= 0 && p.token != ""
}

func (p *progress) tell(st *command.IndexStatusResult) {
	if !p.agreed() {
		return
	}
	if st.FilesTotal > 0 {
		p.percent = max(p.percent, min(99, st.Files*100/st.FilesTotal))
	}
	p.send(map[string]any{"kind": "report", "percentage": p.percent, "message": fmt.Sprintf("%d of %d files", st.Files, st.FilesTotal)})
}

// end ends the run, if there is one.
func (p *progress) end() {
	if p.asked == nil {
		return
	}
	if p.agreed() {
		p.send(map[string]any{"kind": "end"})
	}
	p.asked, p.token = nil, ""
}

func (p *progress) send(value map[string]any) {
	p.session.conn.Notify("$/progress", map[string]any{"token": p.token, "value": value})
}
