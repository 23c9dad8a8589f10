package tokens

// Cold returns a counter like c that has counted nothing yet.
func (c *Counter) Cold() *Counter { return newCounter(c.encoding, c.vocab) }
