package knowledge

// Progress is the state of a run.
type Progress struct {
	// Stage is the current stage of Process, in a word.
	Stage string
	// Share is the completed share of the whole run, from 0 to 1, by the stages' average durations.
	// It decreases only when the run starts over because its input has changed.
	Share float64
	// Done of Total pieces of the stage; a Total of 0 means unknown.
	Done, Total int
}

// stage is a part of a run. Its steps call at, or pause when their number is unknown, between small
// pieces of work.
type stage struct {
	name   string
	weight int // its average duration, relative to the other stages
	steps  []func() error
}

// pacer runs the stages of a run: it reports their progress and yields to other work.
type pacer struct {
	report func(Progress) // nil = not needed
	yield  func() error   // nil = never; its error ends the run

	// The current stage.
	name        string
	from, share float64 // of the whole run
	step, steps int
}

// through runs the stages, in order.
func (p *pacer) through(stages []stage) error {
	total := 0
	for _, s := range stages {
		total += s.weight
	}
	before := 0
	for _, s := range stages {
		p.name, p.from, p.share = s.name, float64(before)/float64(total), float64(s.weight)/float64(total)
		for i, step := range s.steps {
			p.step, p.steps = i, len(s.steps)
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

// at reports that done of total pieces of the present step are complete, with a total of 0 when
// unknown, and yields like pause.
func (p *pacer) at(done, total int) error {
	if p.report != nil {
		part := float64(p.step)
		if total > 0 {
			part += min(1, float64(done)/float64(total))
		}
		p.report(Progress{Stage: p.name, Share: p.from + p.share*part/float64(max(1, p.steps)), Done: min(done, total), Total: total})
	}
	return p.pause()
}

// pause yields to interactive requests. Every loop of a run calls it or at, so that at most some
// milliseconds of work are between two calls.
func (p *pacer) pause() error {
	if p.yield == nil {
		return nil
	}
	return p.yield()
}
