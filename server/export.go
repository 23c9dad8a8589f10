package server

import (
	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/exporter"
	"go.lsp.dev/protocol"
)

// exported is where a session has the metrics served.
type exported struct {
	address string // that its settings want; "" for nowhere
	release func() // nil where nothing is served
}

// exportLocked serves the metrics where the settings want them. A session without a wire is over before anybody asks.
// mu is held.
func (s *Session) exportLocked() {
	want := s.base.Metrics.Listen
	if !s.wired || want == s.exported.address {
		return
	}
	s.unexportLocked()
	s.exported.address = want
	if want == "" {
		return
	}
	release, err := s.server.exporter.Hold(want)
	if err != nil {
		s.showLocked(protocol.MessageTypeWarning, "contexture: metrics.listen: "+err.Error())
		return
	}
	s.exported.release = release
}

// unexportLocked gives the address back. mu is held.
func (s *Session) unexportLocked() {
	if s.exported.release != nil {
		s.exported.release()
	}
	s.exported = exported{}
}

// MetricsAddress is where an address of the setting metrics.listen is listened at by this process; "" where it is not.
func (v *Server) MetricsAddress(setting string) string { return v.exporter.Address(setting) }

// figures are those of the whole process.
func (v *Server) figures() exporter.Figures {
	f := exporter.Figures{MetricsResult: *v.metrics.result(), Durations: v.metrics.durations()}
	for _, st := range v.pool.statuses() {
		addIndex(&f.Index, st, v.now())
	}
	if f.Index.Files > 0 {
		f.Index.StaleShare /= float64(f.Index.Files)
	}
	v.measureProcess(&f.Process)
	f.Prediction = v.foresight.figures()
	return f
}

// statuses are those of the indexes that are open.
func (p *pool) statuses() []indexer.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []indexer.Status
	for _, e := range p.open {
		select {
		case <-e.ready:
			if e.err == nil && e.refs > 0 {
				out = append(out, e.index.Status())
			}
		default:
		}
	}
	return out
}
