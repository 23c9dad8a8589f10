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

// Importer stages the lines of an export; each type of line belongs to the package that wrote it.
// The zero value has no types; packages register theirs with ImportLines and Finally. Not safe for
// concurrent use.
type Importer struct {
	types    map[string]func(line []byte) error
	finishes []func() error
}

// ImportLines registers add for the lines of a type, decoded strictly: one JSON value a line,
// without members that T does not have. An error of add describes what is wrong with the line.
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

// Finally registers finish, which stages what could not be staged line by line.
func (im *Importer) Finally(finish func() error) { im.finishes = append(im.finishes, finish) }

// Takes reports whether a type of line is registered.
func (im *Importer) Takes(lineType string) bool { return im.types[lineType] != nil }

// Add stages one line. Its errors describe what is wrong with the line; after one the transaction
// must be dropped.
func (im *Importer) Add(line []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	add := im.types[head.Type]
	if add == nil {
		return fmt.Errorf("type %q is not one of %s", head.Type, strings.Join(slices.Sorted(maps.Keys(im.types)), ", "))
	}
	return add(line)
}

// Finish calls the functions registered with Finally, in order. The importer must not be used
// afterwards.
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
