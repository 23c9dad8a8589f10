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

// through runs the stages, in order.
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

// stageOf is the current stage of a run.
type stageOf struct {
	name        string
	from, share float64 // of the whole run
	step, steps int
}

// at reports that done of total pieces of the present step are complete, with a total of 0 when
// unknown, and yields like pause.
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

// pause yields to interactive requests. Every loop of a run calls it or at, so that at most some
// milliseconds of work are between two calls.
func (p *run) pause() error {
	if p.in.Pause == nil {
		return nil
	}
	return p.in.Pause()
}
