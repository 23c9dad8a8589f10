package tokens

// Cold returns a counter like c with empty caches.
func (c *Counter) Cold() *Counter { return newCounter(c.encoding, c.vocab) }
