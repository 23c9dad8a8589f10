package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestGather(t *testing.T) {
	odd := errors.New("odd")
	for _, tt := range []struct {
		name string
		in   io.Reader
		want string
		err  error
	}{
		{"all", strings.NewReader("{}\n\n{}"), "{}\n\n{}", nil},
		{"behind a byte order mark", strings.NewReader("\uFEFF{}\n{}"), "{}\n{}", nil},
		{"nothing", strings.NewReader(""), "", nil},
		{"to the line that is broken", io.MultiReader(strings.NewReader("{}\nx\n"), iotest.ErrReader(odd)), "{}\nx\n", nil},
		{"to half a line", io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(odd)), "{}\n{", nil},
		{"to an error", io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(odd)), "{}\n", odd},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := io.ReadAll(gather(tt.in))
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("read %q, %v", got, err)
			}
		})
	}
}

func TestHeldBack(t *testing.T) {
	var out strings.Builder
	h := &heldBack{to: &out}
	piece := strings.Repeat("x", heldBytes/4)
	for range 4 {
		if _, err := io.WriteString(h, piece); err != nil || out.Len() > 0 {
			t.Fatalf("%d bytes, %v", out.Len(), err)
		}
	}
	if _, err := io.WriteString(h, "end"); err != nil || out.Len() != heldBytes+3 {
		t.Fatalf("%d bytes, %v", out.Len(), err)
	}
	if err := h.flush(); err != nil || !strings.HasSuffix(out.String(), "xend") {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
	odd := errors.New("odd")
	h = &heldBack{to: failing{odd}}
	if _, err := io.WriteString(h, "x"); err != nil {
		t.Fatal(err)
	}
	if err := h.flush(); !errors.Is(err, odd) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
