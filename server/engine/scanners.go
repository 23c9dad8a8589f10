package engine

import (
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/contexture-dev/contexture/server/secrets"
)

// Scanners holds the secret scanners of a process, one for each allow list, and which of them apply
// to the memory of a root. Safe for concurrent use.
type Scanners struct {
	log *slog.Logger

	mu    sync.Mutex // guards all below
	made  map[string]*secrets.Scanner
	roots map[string][]*secrets.Scanner // by root, one for each of its sessions
	alone map[string]*secrets.Scanner   // by root: applies while there is no session
}

// maxScanners bounds the scanners that are cached.
const maxScanners = 64

func newScanners(log *slog.Logger) *Scanners {
	return &Scanners{log: log, made: map[string]*secrets.Scanner{}, roots: map[string][]*secrets.Scanner{}, alone: map[string]*secrets.Scanner{}}
}

// Of returns the scanner of an allow list. An invalid list allows nothing.
func (s *Scanners) Of(allow []string) *secrets.Scanner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ofLocked(allow)
}

// ofLocked is Of with mu held.
func (s *Scanners) ofLocked(allow []string) *secrets.Scanner {
	key := fmt.Sprintf("%q", allow)
	if made := s.made[key]; made != nil {
		return made
	}
	scanner, err := secrets.New(allow)
	if err != nil {
		s.log.Warn("setting secrets.allow counts as empty", "err", err)
		return s.ofLocked(nil) // cannot fail for an empty list
	}
	if len(s.made) >= maxScanners {
		clear(s.made)
	}
	s.made[key] = scanner
	return scanner
}

// Hold applies a scanner to what enters the memory of a root, until end is called.
func (s *Scanners) Hold(root string, scanner *secrets.Scanner) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.roots[root] = append(s.roots[root], scanner)
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		list := s.roots[root]
		list = slices.Delete(slices.Clone(list), slices.Index(list, scanner), slices.Index(list, scanner)+1)
		if s.roots[root] = list; len(list) == 0 {
			delete(s.roots, root)
			s.alone[root] = scanner // background work on its texts still uses it
		}
	})
}

// StandIn applies a scanner to the memory of a root while it has no session.
func (s *Scanners) StandIn(root string, scanner *secrets.Scanner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alone[root] = scanner
}

// Redact removes from a text what any scanner of the root finds: what one session allows, another
// may not.
func (s *Scanners) Redact(root, text string) string {
	for _, scanner := range s.holding(root) {
		text, _ = scanner.Redact(text)
	}
	return text
}

// holding lists the distinct scanners that apply to a root.
func (s *Scanners) holding(root string) []*secrets.Scanner {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*secrets.Scanner
	for _, scanner := range s.roots[root] {
		if !slices.Contains(out, scanner) {
			out = append(out, scanner)
		}
	}
	switch {
	case len(out) > 0:
	case s.alone[root] != nil:
		out = append(out, s.alone[root])
	default:
		out = append(out, s.ofLocked(nil))
	}
	return out
}
