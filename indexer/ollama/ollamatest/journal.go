package ollamatest

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// journal stores the server's output.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
	from int           // start of the search by find
	more chan struct{} // closed, and replaced, when text grows
}

func newJournal() *journal { return &journal{more: make(chan struct{})} }

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.more)
	j.more = make(chan struct{})
	return j.text.Write(b)
}

// forget makes find start after the current output.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.from = j.text.Len()
}

// find returns the first group of a match, or "" and a channel that is closed when there is more
// output.
func (j *journal) find(what *regexp.Regexp) (string, <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if m := what.FindSubmatch(j.text.Bytes()[j.from:]); m != nil {
		return string(m[1]), nil
	}
	return "", j.more
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.TrimSpace(j.text.String())
}
