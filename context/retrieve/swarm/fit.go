package swarm

import (
	"sync"

	"github.com/contexture-dev/contexture/indexer/ollama"
)

// size is how much a question shows: 0 is all that it may, each further one shows about a third of
// each text of the one before.
type size int

// smallest shows places and titles alone.
const smallest size = 3

// tokens scales what is shown of a text, given what is shown at the full size.
func (z size) tokens(full int) int {
	if z >= smallest {
		return 0
	}
	for range z {
		full /= 3
	}
	return full
}

// fit knows which size fits a model's window: how long a text is for a model is known only to the
// model.
type fit struct {
	mu       sync.Mutex // guards what follows
	identity string     // of the model that it holds for
	least    size
}

// size is the one to ask the model in.
func (f *fit) size(identity string) size {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.identity != identity {
		return 0
	}
	return f.least
}

// learn takes how a question of a size ended.
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
