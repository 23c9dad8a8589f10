package command

import (
	"encoding/json"
	"strings"
	"testing"
)

// BenchmarkDecode decodes the largest append that the contract allows, and one of usual size.
func BenchmarkDecode(b *testing.B) {
	for name, size := range map[string][2]int{"turn": {2, 2_000}, "largest": {10_000, 6_000}} {
		message := `{"role":"user","content":"` + strings.Repeat("some text, ", size[1]/11) + `","id":"m"},`
		raw := json.RawMessage(`{"conversationId":"c","messages":[` + strings.TrimSuffix(strings.Repeat(message, size[0]), ",") + `]}`)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				if err := Decode([]json.RawMessage{raw}, new(AppendArgs)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
