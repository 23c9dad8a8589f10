package bundle

// staysWhole reports whether a piece is shown whole although the conversation shows a part of it;
// left is the share that the conversation does not show.
func (b *finding) staysWhole(p *place, left float64) bool {
	return left >= usedElided && b.factors[p.ID] >= usedLeast
}

// ignored reports whether a factor of use means that something is passed over. A factor of 0 is
// unknown and does not.
func ignored(factor float64) bool { return factor > 0 && factor <= ignoredMost }
