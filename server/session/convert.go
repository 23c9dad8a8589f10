package session

import (
	"strings"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/transport"
)

// LineRange returns the range from the beginning of line start to the end of line end, whose text
// is last. Lines count from 0.
func LineRange(e transport.Encoding, start, end int, last string) *command.Range {
	return &command.Range{
		Start: command.Position{Line: start},
		End:   command.Position{Line: end, Character: e.Units(strings.TrimSuffix(last, "\r"))},
	}
}
