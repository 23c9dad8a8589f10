package server

import (
	"strings"

	"github.com/contexture-dev/contexture/indexer"
)

// Opened tells of the indexes of a root that sessions of this process have open now, or had a short while ago. Who opens one afterwards sees by it
// what was done for others before. The keys are only to be compared: an index may be closed at any time.
func (v *Server) Opened(root string) map[*indexer.Index]indexer.Status {
	p, name := v.pool, folderName(root)
	out := map[*indexer.Index]indexer.Status{}
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, e := range p.open {
		if e.refs == 0 && e.kept == nil || key != name && !strings.HasPrefix(key, name+"-") {
			continue
		}
		select {
		case <-e.ready:
			if e.err == nil {
				out[e.index] = e.index.Status()
			}
		default:
		}
	}
	return out
}

// Sessions is how many sessions there are, those without a wire among them.
func (v *Server) Sessions() int { return int(v.sessions.Load()) }
