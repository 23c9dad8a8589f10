package knowledge

// Progress is how far a run is.
type Progress struct {
	// Stage that it is at, in a word: those that Process goes through.
	Stage string
	// Share of the whole run that is done, from 0 to 1, by what its stages take on average. It
	// falls only where the run begins anew, since what it read has changed.
	Share float64
	// Done of Total pieces of the stage; a Total of 0 is not known.
	Done, Total int
}

// stage is a part of a run. Its steps call at, or pause where their number is not known, between
// small pieces of work.
type stage struct {
	name   string
	weight int // what it takes on average, among the stages
	steps  []func() error
}

// go through the stages, in order.
func (p *run) through(stages []stage) error {
	total := 0
	for _, s := range stages {
		total += s.weight
	}
	before := 0
	for _, s := range stages {
		p.stage = stageOf{name: s.name, from: float64(before) / float64(total), share: float64(s.weight) / float64(total)}
		for i, step := range s.steps {
			p.stage.step, p.stage.steps = i, len(s.steps)
			if err := p.at(0, 0); err != nil {
				return err
			}
			if err := step(); err != nil {
				return err
			}
		}
		before += s.weight
	}
	return nil
}

// stageOf is the stage that a run is at.
type stageOf struct {
	name        string
	from, share float64 // of the whole run
	step, steps int
}

// at tells that done of total pieces of the present step are done, total being 0 where that is not
// known, and gives way as pause does.
func (p *run) at(done, total int) error {
	if p.in.Progress != nil {
		s := p.stage
		part := float64(s.step)
		if total > 0 {
			part += min(1, float64(done)/float64(total))
		}
		p.in.Progress(Progress{Stage: s.name, Share: s.from + s.share*part/float64(max(1, s.steps)), Done: min(done, total), Total: total})
	}
	return p.pause()
}

// pause gives way to what people wait for. Every loop of a run calls it or at, so that no more than
// some milliseconds of work lie between two calls.
func (p *run) pause() error {
	if p.in.Pause == nil {
		return nil
	}
	return p.in.Pause()
}
