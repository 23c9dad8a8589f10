package item

// Line is one passage of a message as it may be shown, or one of several short texts in one
// element.
type Line struct {
	Index int    // of the message, in the conversation
	Part  int    // of the message's passages
	Turn  int    // its turn's number, from 1; 0 unless it is of a message
	ID    string // of the message
	// Messages are the ids of those that the line covers; nil means only ID.
	Messages []string
	Author   string
	Text     string // what is shown of it
	Score    float64
	Share    float64 // of the query that it contains, 0 to 1
	Tokens   int     // with its author and end; 0 when not counted yet
	// Refuted is the turn in which the person said that an answer is wrong or did not work, "T-12";
	// "" where nobody did.
	Refuted string
	// Prompt is the line of the prompt that it answers, nil for none. It is shown once above all
	// that answer it.
	Prompt *Line
}

// Covers returns the ids of the messages that the line covers.
func (l Line) Covers() []string {
	if l.Messages != nil || l.ID == "" {
		return l.Messages
	}
	return []string{l.ID}
}
