package transport

import (
	"sync"
)

const (
	// maxInbox and maxInboxBytes bound the messages that are read and not yet handled. One message
	// is always accepted.
	maxInbox      = 4096
	maxInboxBytes = 16 << 20
)

// inbox is the queue between the goroutine that reads messages and the one that handles them.
type inbox struct {
	ended chan struct{} // closed when no more messages will be put
	news  chan struct{} // has one element after a message was put
	room  chan struct{} // has one element after a message was taken

	mu    sync.Mutex // guards the fields below
	list  []incoming
	bytes int
	gone  bool // no more messages are taken
}

func newInbox() *inbox {
	return &inbox{ended: make(chan struct{}), news: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// close marks the end of the messages.
func (b *inbox) close() { close(b.ended) }

// discard drops all queued and future messages.
func (b *inbox) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = true
	for _, m := range b.list {
		m.release()
	}
	b.list = nil
}

// put adds a message and blocks while the inbox is full. It reports false if stop is closed first
// or messages are discarded.
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

// take blocks until there is a message. It reports false if stop is closed, or if the inbox is
// empty and closed.
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
			over = true // and all messages have been put
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

// poke sends to a channel with a buffer of one, unless it is full.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
