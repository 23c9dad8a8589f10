package swarm

import (
	"sync"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// size is how much a question shows: 0 is the maximum, each further one shows about a third of each
// text of the previous one.
type size int

// smallest shows only places and titles.
const smallest size = 3

// tokens scales the bound of a text from that at the full size.
func (z size) tokens(full int) int {
	if z >= smallest {
		return 0
	}
	for range z {
		full /= 3
	}
	return full
}

// fit learns which size fits into a model's window: only the model determines how many tokens a
// text has.
type fit struct {
	mu       sync.Mutex // guards the fields below
	identity string     // of the model that it applies to
	least    size
}

// size returns the one for questions to the model.
func (f *fit) size(identity string) size {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.identity != identity {
		return 0
	}
	return f.least
}

// learn records the result of a question of a size.
func (f *fit) learn(identity string, asked size, err error) {
	if err == nil || ollama.KindOf(err) != ollama.TooLong {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.identity != identity {
		f.identity, f.least = identity, 0
	}
	f.least = min(max(f.least, asked+1), smallest)
}
