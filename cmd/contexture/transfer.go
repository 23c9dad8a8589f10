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

// What a person's stream has to do with a memory that others share: it goes over in parts, so that
// nobody waits for the one because the other rests.

// export writes the root's memory, of one state.
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

// imports reads an import from standard input to its end and has it imported, all of it or nothing.
// It stops reading after a line that is not JSON, or a read that failed: neither is passed over,
// and nothing is imported then.
func (w *workspace) imports(ctx context.Context) (*request.ImportResult, error) {
	reading, stop := untilDone(ctx, w.session.Done())
	defer stop()
	parts := newParting(w.f.env.input(reading))
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

// parting cuts an import into parts. Not safe for concurrent use.
type parting struct {
	lines *bufio.Reader
	begun bool
}

func newParting(in io.Reader) *parting {
	return &parting{lines: bufio.NewReaderSize(in, 64<<10)}
}

// next returns the next part, of request.PartBytes or what a long line has more. last says that
// there is no further part; err is then why the import could not be read to its end.
func (p *parting) next() (part []byte, last bool, err error) {
	for len(part) < request.PartBytes {
		line, err := p.lines.ReadBytes('\n')
		if !p.begun {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF")) // as some editors write
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
