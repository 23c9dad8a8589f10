package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/contexture-dev/contexture/memory"
)

// What a person's stream has to do with a memory that others share: nobody may wait for the one
// because the other rests.

// heldBytes is how much of an export is held back until the state that it is of has been let go.
const heldBytes = 32 << 20

// heldBack keeps what is written to it while that is little, and passes the rest on.
type heldBack struct {
	to   io.Writer
	held bytes.Buffer
}

func (h *heldBack) Write(p []byte) (int, error) {
	if h.held.Len()+len(p) <= heldBytes {
		return h.held.Write(p)
	}
	if err := h.flush(); err != nil {
		return 0, err
	}
	return h.to.Write(p)
}

// flush passes on what is kept.
func (h *heldBack) flush() error {
	_, err := h.held.WriteTo(h.to)
	return err
}

// export writes the workspace's memory, of one state. Forgetting waits until that state is
// released.
func export(w *memory.Workspace, to io.Writer) error {
	v := w.View()
	defer v.Close()
	return v.Export(to)
}

// gather reads an import to its end, since nothing else can be remembered while one is read in. It
// stops after a line that is not JSON, or a read that failed: neither is passed over, and nothing
// is imported then.
func gather(in io.Reader) io.Reader {
	lines := bufio.NewReaderSize(in, 64<<10)
	var all bytes.Buffer
	for {
		line, err := lines.ReadBytes('\n')
		if all.Len() == 0 {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")) // as some editors write
		}
		all.Write(line)
		text := bytes.TrimSpace(line)
		switch {
		case errors.Is(err, io.EOF), len(text) > 0 && !json.Valid(text):
			return &all
		case err != nil:
			return io.MultiReader(&all, broken{err})
		}
	}
}

// broken is a stream that cannot be read.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
