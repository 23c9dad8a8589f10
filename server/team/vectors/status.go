package vectors

import "sync/atomic"

// Status counts what was exchanged since the start of the process, except for Feeds, Entries and
// Queue, which are current.
type Status struct {
	Feeds   int // models and repositories
	Entries int // rows in the cache
	Queue   int // texts that wait until it is known whether they must be published

	PacksRead, BytesRead           int64
	PacksPublished, BytesPublished int64
	RowsPublished                  int64
	RowsFound                      int64 // rows that others made and this machine used
	Dropped                        int64 // offers that the queue had no room for
	Malformed                      int64 // packs without the form of one, or too large
	Foreign                        int64 // packs that were not made by the team's key
	Other                          int64 // packs whose maker's server embeds differently
	Refused                        int64 // rows that could not be decrypted, or were no rows
	Rewound                        int64 // times that the server had lost packs
	// Problem is why the cache is not kept on disk; "" while it is.
	Problem string
}

type counts struct {
	packsRead, bytesRead           atomic.Int64
	packsPublished, bytesPublished atomic.Int64
	rowsPublished, rowsFound       atomic.Int64
	dropped                        atomic.Int64
	malformed, foreign, other      atomic.Int64
	refused, rewound               atomic.Int64
}

// Status returns the current counts.
func (s *Share) Status() Status {
	c := &s.counts
	out := Status{
		PacksRead: c.packsRead.Load(), BytesRead: c.bytesRead.Load(),
		PacksPublished: c.packsPublished.Load(), BytesPublished: c.bytesPublished.Load(),
		RowsPublished: c.rowsPublished.Load(), RowsFound: c.rowsFound.Load(), Dropped: c.dropped.Load(),
		Malformed: c.malformed.Load(), Foreign: c.foreign.Load(), Other: c.other.Load(),
		Refused: c.refused.Load(), Rewound: c.rewound.Load(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Feeds = len(s.feeds)
	for _, f := range s.feeds {
		f.describe(&out)
	}
	return out
}
