package transport

import (
	"sync"
)

const (
	// maxInbox and maxInboxBytes bound what was read and not handled. One message is always taken.
	maxInbox      = 4096
	maxInboxBytes = 16 << 20
)

// inbox holds messages between the goroutine that reads them and the one that handles them.
type inbox struct {
	ended chan struct{} // closed when nothing will be put any more
	news  chan struct{} // holds one when a message was put
	room  chan struct{} // holds one when a message was taken

	mu    sync.Mutex // guards all below
	list  []incoming
	bytes int
	gone  bool // nothing is taken any more
}

func newInbox() *inbox {
	return &inbox{ended: make(chan struct{}), news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// close says that nothing will be put any more.
func (b *inbox) close() { close(b.ended) }

// discard throws away what is there and what will be put.
func (b *inbox) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	for _, m := range b.list {
		m.release()
	}
	b.list = nil
}

// put waits for room. It reports false when stop is closed before, or what is put is not wanted any
// more.
func (b *inbox) put(m incoming, stop <-chan struct{}) bool {
	for {
		b.mu.Lock()
		if b.gone {
			b.mu.Unlock()
			return false
		}
		if len(b.list) == 0 || len(b.list) < maxInbox && b.bytes+m.bytes <= maxInboxBytes {
			b.list = append(b.list, m)
			b.bytes += m.bytes
			b.mu.Unlock()
			poke(b.news)
			return true
		}
		b.mu.Unlock()
		select {
		case <-b.room:
		case <-stop:
			return false
		}
	}
}

// take waits for a message. It reports false when stop is closed, or when there is none and there
// will be none.
func (b *inbox) take(stop <-chan struct{}) (incoming, bool) {
	for {
		select {
		case <-stop:
			return incoming{}, false
		default:
		}
		over := false
		select {
		case <-b.ended:
			over = true // and all that was put is there
		default:
		}
		b.mu.Lock()
		if len(b.list) > 0 {
			m := b.list[0]
			b.list[0] = incoming{}
			b.list = b.list[1:]
			b.bytes -= m.bytes
			b.mu.Unlock()
			poke(b.room)
			return m, true
		}
		b.list = nil
		b.mu.Unlock()
		if over {
			return incoming{}, false
		}
		select {
		case <-b.news:
		case <-b.ended:
		case <-stop:
		}
	}
}

// poke puts a token into a channel that holds one.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
