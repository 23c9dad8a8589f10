package store

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestImporter checks that each line goes to the handler of its type, strictly decoded, and that
// the functions of Finally run in order, up to the first error.
func TestImporter(t *testing.T) {
	var im Importer
	var got []string
	type note struct {
		Type, Text string
	}
	ImportLines(&im, "note", func(n note) error {
		got = append(got, n.Text)
		return nil
	})
	ImportLines(&im, "count", func(n struct {
		Type  string
		Count int
	}) error {
		if n.Count < 0 {
			return errors.New("negative")
		}
		return nil
	})
	full := errors.New("full")
	for _, name := range []string{"first", "second", "third"} {
		im.Finally(func() error {
			got = append(got, name)
			if name == "second" {
				return full
			}
			return nil
		})
	}
	if !im.Takes("note") || im.Takes("task") {
		t.Error("takes other types than it was given")
	}
	for _, c := range []struct{ line, err string }{
		{`{"type":"note","text":"a"}`, ""},
		{` {"type":"count","count":1} `, ""},
		{`{"type":"count","count":-1}`, "negative"},
		{`{"type":"task"}`, `type "task" is not one of count, note`},
		{`{"type":"note","more":1}`, `json: unknown field "more"`},
		{`{"type":"note"} {}`, "invalid character '{' after top-level value"},
		{`{"type":"note"`, "unexpected end of JSON input"},
	} {
		if err := im.Add([]byte(c.line)); (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.line, err, c.err)
		}
	}
	if err := im.Finish(); !errors.Is(err, full) || !slices.Equal(got, []string{"a", "first", "second"}) {
		t.Errorf("%v after %q", err, got)
	}
	if err := DecodeLine([]byte(`{"type":"note"} {}`), new(note)); err == nil {
		t.Error("two values are taken for one")
	}
}
