package retrieve

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/contexture-dev/contexture/context/cut"
	"github.com/contexture-dev/contexture/indexer/history"
)

func TestCommittedLines(t *testing.T) {
	lines := bytes.Split([]byte("func refuse() error {\r\n\treturn errStolen\r\n}\r\nfunc other() error {\n\treturn errStolen\n\treturn errLost\n}"), []byte("\n"))
	scores := map[uint32]float64{}
	for text, score := range map[string]float64{"return errStolen": 1, "return errLost": .5, "}": .5, "func gone() {}": 1} {
		key, _ := history.LineKey([]byte(text))
		scores[key] = score
	}
	for _, c := range []struct {
		in   cut.Range
		want map[int]float64
	}{
		{cut.Range{First: 0, Last: 2}, map[int]float64{1: 1}},
		{cut.Range{First: -1, Last: 100}, map[int]float64{1: .5, 4: .5, 5: .5}},
		{cut.Range{First: 2, Last: 3}, map[int]float64{}},
	} {
		if got := CommittedLines(lines, c.in, scores); !reflect.DeepEqual(got, c.want) {
			t.Errorf("lines %v: %v, want %v", c.in, got, c.want)
		}
	}
	if got := CommittedLines(lines, cut.Range{First: 0, Last: 6}, nil); len(got) != 0 {
		t.Errorf("without commits: %v", got)
	}
}
