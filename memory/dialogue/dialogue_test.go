package dialogue

import "testing"

func TestParseTurn(t *testing.T) {
	for in, want := range map[string]int{"T-1": 1, "T-87": 87, "9": 9, "T-0": 0, "T--1": 0, "": 0, "t-1": 0, "T-1x": 0} {
		n, err := ParseTurn(in)
		if n != want || (err == nil) != (want > 0) {
			t.Errorf("ParseTurn(%q) = %d, %v; want %d", in, n, err, want)
		}
	}
}

func TestTags(t *testing.T) {
	if got := Tag(183, Raw); got != "T-183-R" {
		t.Error(got)
	}
	if got := RangeTag(50, 100, Compressed); got != "T-50-through-100-C" {
		t.Error(got)
	}
	if got := RangeTag(7, 7, Tiny); got != "T-7-T" {
		t.Error(got)
	}
	for tag, want := range map[string]bool{
		"T-183-R": true, "T-7-T": true, "T-50-through-100-C": false, "T-7": false, "T-7-X": false, "T-0-R": false, "7-R": false, "": false, "-R": false, "R": false,
	} {
		number, level, ok := ParseTag(tag)
		if ok != want || ok && Tag(number, level) != tag {
			t.Errorf("%q is turn %d, %s, %t", tag, number, level, ok)
		}
	}
	if !Raw.Tells(Raw) || !Raw.Tells(Tiny) || !Smoothed.Tells(Compressed) || Tiny.Tells(Compressed) || Smoothed.Tells(Raw) {
		t.Error("the levels are in another order")
	}
}

// TestByPerson checks that an author that is the name of a role is not a person.
func TestByPerson(t *testing.T) {
	for _, tt := range []struct {
		role   Role
		author string
		want   bool
	}{
		{User, "", true}, {User, "user", true}, {Assistant, "", false}, {Assistant, "assistant", false}, {Assistant, " Assistant ", false},
		{Assistant, "Melanie", true}, {Assistant, "Jean-Luc Ó Briain", true}, {Assistant, "claude-opus-4-6", false}, {Assistant, "gpt-5", false},
		{Assistant, "Claude", false}, {Assistant, "anthropic/sonnet", false}, {Assistant, "qwen2.5-coder:7b", false}, {Assistant, "GitHub Copilot", false},
		{Assistant, "<synthetic>", false}, {User, "claude-fan-9", true}, {Tool, "Melanie", false}, {System, "", false},
	} {
		m := Message{Role: tt.role, Author: tt.author}
		if got := m.ByPerson(); got != tt.want {
			t.Errorf("%s by %q: %v", tt.role, tt.author, got)
		}
	}
}
