package bundle

// What use has taught decides which of several things is shortened where there is no room for all
// of them in full, and for how long what the conversation shows in part is shown whole: what the
// model used stays longer, what it passed over is shortened first.
const (
	// ignoredMost is the factor of use up to which something counts as passed over: it was shown
	// several times and in at most one of five cases used. usedLeast is the one from which on it
	// counts as used.
	ignoredMost, usedLeast = .7, 1.3
	// ignoredShort is what the beginning of a piece is worth that was passed over.
	ignoredShort = .8
	// usedElided is the share of a piece that must be left without what the conversation shows for
	// one that was used to be shown whole.
	usedElided = .5
)

// attend lets a piece that was passed over be shown in short, where room is wanted for others. What
// the prompt names, or the person is at, is not passed over.
func (b *build) attend(d *draft, f found) {
	factor, known := b.factors[d.item.ID]
	full := d.forms[0]
	if !known || factor > ignoredMost || f.Exact || f.Near || len(d.forms) > 1 || full.format != "full" || full.end-full.start < summaryLines {
		return
	}
	short := b.shortForm(full, "summary")
	short.worth = ignoredShort
	d.forms = append(d.forms, short)
}

// staysWhole reports whether a piece is shown whole though the conversation shows a part of it, the
// share left not counted in that.
func (b *build) staysWhole(d *draft, left float64) bool {
	return left >= usedElided && b.factors[d.item.ID] >= usedLeast
}

// ignored reports whether use has taught that something is passed over; 0 stands for a factor that
// is not known.
func ignored(factor float64) bool { return factor > 0 && factor <= ignoredMost }
