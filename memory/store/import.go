package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Importer stages the lines of an export, each by the package that wrote lines of its type. The
// zero value imports none; packages add their types by ImportLines and Finally. Not safe for
// concurrent use.
type Importer struct {
	types    map[string]func(line []byte) error
	finishes []func() error
}

// ImportLines has add stage the lines of a type, decoded strictly: one JSON value a line, with no
// member that T does not have. An error of add says what is wrong with the line.
func ImportLines[T any](im *Importer, lineType string, add func(T) error) {
	if im.types == nil {
		im.types = map[string]func(line []byte) error{}
	}
	im.types[lineType] = func(line []byte) error {
		var record T
		if err := DecodeLine(line, &record); err != nil {
			return err
		}
		return add(record)
	}
}

// Finally has finish stage what lines came to that could not be staged individually.
func (im *Importer) Finally(finish func() error) { im.finishes = append(im.finishes, finish) }

// Takes reports whether there are lines of a type.
func (im *Importer) Takes(lineType string) bool { return im.types[lineType] != nil }

// Add stages one line. Its errors say what is wrong with the line; after one the transaction must
// be dropped.
func (im *Importer) Add(line []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	add := im.types[head.Type]
	if add == nil {
		return fmt.Errorf("type %q is none of %s", head.Type, strings.Join(slices.Sorted(maps.Keys(im.types)), ", "))
	}
	return add(line)
}

// Finish stages what the lines came to, in the order in which that was asked for by Finally. The
// importer is used up.
func (im *Importer) Finish() error {
	for _, finish := range im.finishes {
		if err := finish(); err != nil {
			return err
		}
	}
	return nil
}

// DecodeLine decodes one JSON value with no unknown member and nothing after it.
func DecodeLine(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one value in a line")
	}
	return nil
}
