package window

// Shares of the budget, in percent.
const (
	windowedSummary = 30 // the recent zone has the rest

	compactedOldest = 10 // the recent zone has the rest
	compactedMiddle = 25

	multiMiddle  = 15 // the recent zone has the rest
	multiOlder   = 10
	multiAncient = 5

	chunk        = 20 // messages; borders between zones are at its multiples
	middleChunks = 3  // of the middle zone of the multi-level strategy
	ancientFrom  = 10 // chunks from which a conversation has an ancient zone

	ancientStep = 5 * chunk // messages by which the ancient zone grows

	gapShare = 25 // percent of a summary's share reserved for the recent messages that will not fit
)

// aligned returns position rounded down to a multiple of chunk, or position itself if it is less
// than one chunk.
func aligned(position int) int {
	if position < chunk {
		return position
	}
	return position / chunk * chunk
}

// windowed shows the newest messages whole in 70 % of the budget and a summary of the older ones in
// 30 %. If the summary needs less, because there is little to summarise, the recent zone is larger.
func (b *builder) windowed() error {
	summary := b.budget * windowedSummary / 100
	cut, recent := len(b.msgs), 0
	for cut > 0 {
		with := recent + b.msgs[cut-1].Tokens
		if with+min(summary, (b.total-with)/2) > b.budget {
			break
		}
		recent = with
		cut--
	}
	summaries := min(summary, (b.total-recent)/2)
	cut = cut / chunk * chunk
	if err := b.summarize(0, cut, LevelOlder, summary*(100-gapShare)/100); err != nil {
		return err
	}
	gaps := max(summaries-b.tokens, 0)
	if cut > 0 {
		gaps = min(gaps, summary*gapShare/100)
	}
	b.recent(cut, len(b.msgs), b.budget-b.tokens-gaps)
	return b.gaps(cut, len(b.msgs), LevelRecent)
}

// compacted shows the oldest 40 % of the messages as a summary in 10 % of the budget, the key
// messages of the middle 35 % in 25 %, and the recent 25 % whole in 65 %.
func (b *builder) compacted() error {
	n := len(b.msgs)
	oldest, middle := aligned(n*40/100), aligned(n*75/100)
	if err := b.summarize(0, oldest, LevelOlder, b.budget*compactedOldest/100); err != nil {
		return err
	}
	b.key(oldest, middle, b.budget*compactedMiddle/100)
	b.recent(middle, n, b.budget-b.tokens)
	b.key(oldest, middle, b.budget-b.tokens)
	if err := b.gaps(middle, n, LevelRecent); err != nil {
		return err
	}
	return b.gaps(oldest, middle, LevelMiddle)
}

// multiLevel shows the newest chunks whole in 70 % of the budget, the three chunks before them in
// 15 % and everything before in 10 %. In a conversation of ten chunks or more the first three
// tenths are a separate zone in 5 %.
func (b *builder) multiLevel() error {
	cut := b.recentCut(b.budget * (100 - multiMiddle - multiOlder - multiAncient) / 100)
	middle := max(cut-middleChunks*chunk, 0)
	ancient := 0
	if len(b.msgs) >= ancientFrom*chunk {
		ancient = min(len(b.msgs)*30/100/ancientStep*ancientStep, middle)
	}
	if err := b.summarize(0, ancient, LevelAncient, b.budget*multiAncient/100); err != nil {
		return err
	}
	if err := b.blocks(ancient, middle, b.budget*multiOlder/100); err != nil {
		return err
	}
	share := b.budget * multiMiddle / 100
	gaps := share * gapShare / 100
	if err := b.summarize(middle, cut, LevelMiddle, share-gaps); err != nil {
		return err
	}
	b.recent(cut, len(b.msgs), b.budget-b.tokens-gaps)
	return b.gaps(cut, len(b.msgs), LevelRecent)
}

// recentCut returns the start of the chunk at which the share is used up, counting from the newest
// message; at least one chunk is recent.
func (b *builder) recentCut(share int) int {
	i := len(b.msgs)
	for i > 0 && b.msgs[i-1].Tokens <= share {
		i--
		share -= b.msgs[i].Tokens
	}
	return min(i, len(b.msgs)-1) / chunk * chunk
}

// Summaries of older messages cover blocks that grow fivefold, as many as have room for a useful
// text. Blocks end at multiples of their size and share their tokens evenly: mostly only the last
// one changes as the conversation grows.
const (
	blockGrowth = 5
	maxBlocks   = 5
	usefulBlock = 80 // tokens
)

// blocks summarises the messages of [from, to) in blocks.
func (b *builder) blocks(from, to, tokens int) error {
	if from >= to {
		return nil
	}
	most, size := max(min(tokens/usefulBlock, maxBlocks), 1), chunk
	count := func() int { return (to-1)/size - from/size + 1 }
	for count() > most && size < to {
		size *= blockGrowth
	}
	each := tokens / count()
	if count() > most { // a border divides the range at any size
		return b.summarize(from, to, LevelOlder, tokens)
	}
	for from < to {
		end := min((from/size+1)*size, to)
		if err := b.summarize(from, end, LevelOlder, each); err != nil {
			return err
		}
		from = end
	}
	return nil
}
