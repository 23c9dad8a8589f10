package history

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// Block is an element of the text of a history, to be shown as <Tag>Body</Tag>. The body is as
// Texts gave it: escaping is the renderer's.
type Block struct {
	Tag      string // T-183-R, T-50-through-100-C
	Level    dialogue.Level
	From, To int
	Body     string
}

// Texts has the turns' texts.
type Texts interface {
	// Text of a turn at a level. It must be the text whose Size the layout was made of.
	Text(turn int, l dialogue.Level) (string, error)
}

// Line is a turn's text in a merged block: "Turn 50: …".
func Line(turn int, text string) string {
	return "Turn " + strconv.Itoa(turn) + ": " + strings.TrimSpace(text)
}

// Blocks fetches the texts of a layout, oldest first: a block for each raw or smoothed turn, a
// merged one of a Line a turn for each band of the others. A merged block of one turn holds its
// text alone. The error is that of Texts, with the turn.
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

// Steady rounds a budget down to a coarse step, 1/16 of the greatest power of two in it: a budget
// that trembles by less than a step mostly gives the same layout, and so the same text. It costs at
// most a sixteenth of the budget, a thirty-second part on average; a budget that trembles around a
// step itself still moves the borders.
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
