package bundle

// Feedback from use decides which of several things is shortened when not all of them fit in full,
// and how long something that the conversation shows in part is still shown whole: what the model
// used stays longer, what it ignored is shortened first.
const (
	// ignoredMost is the largest factor of use at which something counts as ignored: it was shown
	// several times and used in at most one of five cases. usedLeast is the smallest factor at
	// which it counts as used.
	ignoredMost, usedLeast = .7, 1.3
	// ignoredShort is the worth of the short form of an ignored piece, relative to its full form.
	ignoredShort = .8
	// usedElided is the share of a used piece that must be missing from the conversation for the
	// piece to be shown whole.
	usedElided = .5
)

// staysWhole reports whether a piece is shown whole although the conversation shows a part of it;
// left is the share that the conversation does not show.
func (b *finding) staysWhole(p *place, left float64) bool {
	return left >= usedElided && b.factors[p.ID] >= usedLeast
}

// ignored reports whether a factor of use means that something is passed over. A factor of 0 is
// unknown and does not.
func ignored(factor float64) bool { return factor > 0 && factor <= ignoredMost }
