package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/contexture-dev/contexture/server/request"
)

func TestParts(t *testing.T) {
	odd := errors.New("odd")
	long := strings.Repeat("{\"a\": 12345}\n", request.PartBytes/4)
	for _, tt := range []struct {
		name string
		in   io.Reader
		want string
		err  error
	}{
		{"all", strings.NewReader("{}\n\n{}"), "{}\n\n{}", nil},
		{"many", iotest.HalfReader(strings.NewReader(long)), long, nil},
		{"behind a byte order mark", strings.NewReader("\uFEFF{}\n{}"), "{}\n{}", nil},
		{"nothing", strings.NewReader(""), "", nil},
		{"to the line that is broken", io.MultiReader(strings.NewReader("{}\nx\n"), iotest.ErrReader(odd)), "{}\nx\n", nil},
		{"to half a line", io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(odd)), "{}\n{", nil},
		{"to an error", io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(odd)), "{}\n", odd},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got strings.Builder
			p := newParting(tt.in)
			for {
				part, last, err := p.next()
				if got.Write(part); len(part) > request.PartBytes+100 {
					t.Errorf("a part of %d bytes", len(part))
				}
				if !last && err == nil {
					continue
				}
				if !last || !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) || got.String() != tt.want {
					t.Errorf("read %.100q, %v", got.String(), err)
				}
				return
			}
		})
	}
}
