package history

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Block is an element of the text of a history, to be rendered as <Tag>Body</Tag>. The body is as
// returned by Texts: the renderer does the escaping.
type Block struct {
	Tag      string // T-183-R, T-50-through-100-C
	Level    dialogue.Level
	From, To int
	Body     string
}

// Texts provides the texts of turns.
type Texts interface {
	// Text returns the text of a turn at a level. It must be the text whose Size the layout was
	// computed from.
	Text(turn int, l dialogue.Level) (string, error)
}

// Line returns a turn's text as a line of a merged block: "Turn 50: …".
func Line(turn int, text string) string {
	return "Turn " + strconv.Itoa(turn) + ": " + strings.TrimSpace(text)
}

// Blocks fetches the texts of a layout, oldest first: one block for each raw or smoothed turn, and
// one merged block, with a Line for each turn, for each of the other bands. A merged block of one
// turn holds only its text. An error is that of Texts, with the turn added.
func Blocks(l Layout, texts Texts) ([]Block, error) {
	var blocks []Block
	for _, band := range l.Bands {
		lines := make([]string, 0, band.To-band.From+1)
		for turn := band.From; turn <= band.To; turn++ {
			text, err := texts.Text(turn, band.Level)
			if err != nil {
				return nil, fmt.Errorf("read turn %s: %w", dialogue.Tag(turn, band.Level), err)
			}
			if merged(band.Level) && band.From < band.To {
				lines = append(lines, Line(turn, text))
				continue
			}
			blocks = append(blocks, Block{dialogue.Tag(turn, band.Level), band.Level, turn, turn, text})
		}
		if len(lines) > 0 {
			tag := dialogue.RangeTag(band.From, band.To, band.Level)
			blocks = append(blocks, Block{tag, band.Level, band.From, band.To, strings.Join(lines, "\n")})
		}
	}
	return blocks, nil
}

// Steady rounds a budget down to a coarse step, 1/16 of the greatest power of two in it. A budget
// that varies by less than a step therefore mostly yields the same layout, and so the same text.
// Rounding costs at most a sixteenth of the budget, a thirty-second on average; a budget that
// varies around a step boundary still moves the borders.
func Steady(budget int) int {
	if budget < 1 {
		return 0
	}
	step := 1
	for step*32 <= budget {
		step *= 2
	}
	return budget / step * step
}
