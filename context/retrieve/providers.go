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

// nameBoost returns what the definition of a name that the prompt has is raised by.
func (r *search) nameBoost() float64 {
	if len(r.terms) <= shortQuery {
		return exactBoost
	}
	return exactInText
}
