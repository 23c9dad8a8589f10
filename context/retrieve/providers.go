package retrieve

import "context"

// provider finds places by one kind of evidence.
type provider interface {
	// candidates makes places candidates, or raises those that are, and notes in their evidence how
	// surely the prompt means them. When ctx is done it stops with what it has.
	candidates(ctx context.Context)
}

// byPrompt returns the providers of what the prompt itself names. They come before the model, which
// reads their evidence.
func (r *search) byPrompt() []provider {
	out := []provider{&exactNames{r}, &namedFiles{search: r}, &errorMessages{r}, &digits{r}, &quotations{r}}
	if r.req.Mode == Hybrid {
		out = append(out, &plainWords{r}, &relatedPlaces{r})
	}
	return out
}

// byContext returns the providers of what the prompt means without naming it. They change the
// probabilities that the model gave.
func (r *search) byContext() []provider {
	return []provider{&conversation{r}, &location{r}, &copies{search: r}}
}

// What an exact match adds to the fused score, whose maximum is about the sum of the weights. A
// prompt that is little more than a name asks for that name's definition first; in a long text the
// names are hints among others.
const (
	exactBoost    = 3.0
	exactInText   = .5
	fileNameBoost = .5
	errorBoost    = 3.0

	shortQuery   = 6  // terms
	manyMeanings = 6  // definitions from which on a name is no strong evidence
	errorPool    = 60 // candidates whose text is searched for a message
	shortPrompt  = 12 // words up to which a prompt may itself be a message
)

// nameBoost returns what the definition of a name that the prompt has is raised by.
func (r *search) nameBoost() float64 {
	if len(r.terms) <= shortQuery {
		return exactBoost
	}
	return exactInText
}
