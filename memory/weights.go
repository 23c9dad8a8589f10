package memory

import (
	"encoding/binary"
	"math"

	"github.com/contexture-dev/contexture/memory/conversation"
	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
)

// weight holds what a window needs of a message.
type weight struct {
	level.Weight
	tokens, turn int
}

func weigh(m dialogue.Message, turn int, count func(string) int) weight {
	return weight{level.Weigh(m), count(m.Content), turn}
}

// weightsForm is the format version of stored weights. It must be raised when the format,
// level.Weigh or the encoding of Options.Count changes: weights of another version are not read.
const weightsForm = 2

// The flags of a stored weight.
const (
	flagUser = 1 << iota
	flagDecides
	flagFails
)

// weightsOf returns the weights of a turn's messages in stored form.
func (m *Memory) weightsOf(t dialogue.Turn) []byte {
	b := binary.AppendUvarint([]byte{weightsForm}, uint64(t.Number))
	for _, msg := range t.Messages {
		w := weigh(msg, t.Number, m.opts.Count)
		b = binary.AppendUvarint(b, uint64(w.tokens))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(w.Importance))
		flags := byte(0)
		for i, is := range [...]bool{w.User, w.Decides, w.Fails} {
			if is {
				flags |= 1 << i
			}
		}
		b = append(b, flags)
		b = binary.AppendUvarint(b, uint64(w.Calls))
		b = binary.AppendUvarint(b, uint64(w.Bytes))
	}
	return b
}

// appendWeights appends at most room of the weights stored in b: fewer when b is damaged or of
// another format version.
func appendWeights(list []weight, b []byte, room int) []weight {
	if len(b) == 0 || b[0] != weightsForm {
		return list
	}
	b = b[1:]
	bad := false
	next := func() int {
		n, size := binary.Uvarint(b)
		if bad = bad || size <= 0; bad {
			return 0
		}
		b = b[size:]
		return int(n)
	}
	for turn := next(); len(b) > 0 && room > 0; room-- {
		w := weight{tokens: next(), turn: turn}
		if len(b) < 5 {
			return list
		}
		w.Importance = math.Float32frombits(binary.LittleEndian.Uint32(b))
		flags := b[4]
		w.User, w.Decides, w.Fails = flags&flagUser != 0, flags&flagDecides != 0, flags&flagFails != 0
		b = b[5:]
		w.Calls, w.Bytes = next(), next()
		if bad {
			return list
		}
		list = append(list, w)
	}
	return list
}

// weights returns the weights of a conversation's messages, in order, in the tokens of an encoding;
// count counts in it. The caller must not change them.
func (v *View) weights(info conversation.Info, encoding string, count func(string) int) ([]weight, error) {
	key := weightKey{conversationKey{v.w.number, info.Number}, encoding}
	list, _ := v.Turns.kept.weights.Get(key)
	if len(list) >= info.Messages {
		return list[:info.Messages:info.Messages], nil
	}
	list = append(make([]weight, 0, info.Messages+info.Messages/8), list...)
	read := func(to int) error {
		msgs, turns, err := conversation.MessagesWithTurns(v.state, info, len(list), to)
		for i, m := range msgs {
			list = append(list, weigh(m, turns[i], count))
		}
		return err
	}
	err := conversation.EachWeights(v.state, info, len(list), info.Messages, func(first, end int, b []byte) error {
		if err := read(first); err != nil {
			return err
		}
		from := len(list)
		if list = appendWeights(list, b, end-first); encoding == v.w.memory.opts.Encoding {
			return nil
		}
		msgs, _, err := conversation.MessagesWithTurns(v.state, info, from, len(list))
		for i, m := range msgs {
			list[from+i].tokens = count(m.Content)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := read(info.Messages); err != nil {
		return nil, err
	}
	v.Turns.kept.weights.Add(key, list)
	return list, nil
}
