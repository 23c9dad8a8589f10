package conversation

import (
	"fmt"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/store"
)

// PutWeights stages numbers for each message of a turn, in the caller's encoding, for readers that
// scan all messages of a conversation. first is the index of the turn's first message, n the number
// under which the turn is stored. The same rule as for PutVersions decides when they may be staged.
func PutWeights(tx store.Tx, n Number, first int, weights []byte) {
	tx.Set(keyWeights(tx.Workspace, n, first), weights)
}

// EachWeights calls f, ascending, with the weights of the messages from index from up to, but not
// including, to: first is the index of the first message that they are of, and those of messages
// from end on are invalid. They are valid during f. Messages may be missing, such as those of turns
// that wait for their versions. An error of f ends it.
func EachWeights(view store.View, info Info, from, to int, f func(first, end int, weights []byte) error) error {
	for _, s := range info.Spans() {
		lower, upper := max(s.From, from), min(s.To, to)
		if lower >= upper {
			continue
		}
		err := view.Scan(keyWeights(view.Workspace, s.Conversation, lower), keyWeights(view.Workspace, s.Conversation, upper), func(key, value []byte) (bool, error) {
			return true, f(int(lastUint32(key)), upper, value)
		})
		if err != nil {
			return fmt.Errorf("read weights of conversation %d: %w", info.Number, err)
		}
	}
	return nil
}

// scattered is how many messages between two wanted ones are read and skipped rather than seeked
// over.
const scattered = 4

// MessagesAt returns the messages with the given indexes, which must ascend and exist.
func MessagesAt(view store.View, info Info, indexes []int) ([]dialogue.Message, error) {
	list := make([]dialogue.Message, 0, len(indexes))
	for i := 0; i < len(indexes); {
		end := i + 1
		for end < len(indexes) && indexes[end]-indexes[end-1] <= scattered {
			end++
		}
		run := indexes[i:end]
		err := eachEntry(view, info, run[0], run[len(run)-1]+1, func(index int, e entry) error {
			if index == run[0] {
				list, run = append(list, e.Message), run[1:]
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		i = end
	}
	return list, nil
}
