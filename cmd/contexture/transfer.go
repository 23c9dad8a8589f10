package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/contexture-dev/contexture/server/request"
)

// Transfers between a person's stream and a memory that others share are made in parts, so that a
// slow stream does not block the other users of the memory.

// export writes one state of the root's memory.
func (w *workspace) export(ctx context.Context, to io.Writer) error {
	for method := request.MemoryExport; ; method = request.MemoryExportNext {
		part, err := asked[request.ExportResult](ctx, w.client, method, nil)
		if err != nil {
			return err
		}
		if _, err := to.Write(part.Data); err != nil || part.End {
			return err
		}
	}
}

// imports reads an import from standard input to its end and imports all of it or nothing. It stops
// reading at a line that is not JSON, or at a failed read: neither is skipped, and nothing is then
// imported.
func (w *workspace) imports(ctx context.Context) (*request.ImportResult, error) {
	reading, stop := untilDone(ctx, w.session.Done())
	defer stop()
	parts := newParting(w.env.input(reading))
	for {
		data, last, err := parts.next()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case reading.Err() != nil:
			return nil, w.lost(w.session.Err())
		}
		p := &request.ImportParams{Data: data, Last: last}
		if err != nil {
			p.Broken = err.Error()
		}
		done, err := asked[request.ImportResult](ctx, w.client, request.MemoryImport, p)
		if err != nil || last {
			return done, err
		}
	}
}

// parting cuts an import into parts. It is not safe for concurrent use.
type parting struct {
	lines *bufio.Reader
	begun bool
}

func newParting(in io.Reader) *parting {
	return &parting{lines: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next part, of request.PartBytes, or more for a long line. last reports that
// there is no further part; err is then the reason why the import could not be read to its end.
func (p *parting) next() (part []byte, last bool, err error) {
	for len(part) < request.PartBytes {
		line, err := p.lines.ReadBytes('\n')
		if !p.begun {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")) // some editors write it
		}
		p.begun = p.begun || len(line) > 0
		part = append(part, line...)
		text := bytes.TrimSpace(line)
		switch {
		case errors.Is(err, io.EOF), len(text) > 0 && !json.Valid(text):
			return part, true, nil
		case err != nil:
			return part, true, err
		}
	}
	return part, false, nil
}
