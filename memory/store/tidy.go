package store

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// tidyShare is the size of the upper levels, relative to the bottom level, from which they are
	// merged: appended operands are stored separately until then, and take twice the space or more.
	tidyShare = .1
	// minTidyBytes is how many bytes must be above the bottom level for merging to pay.
	minTidyBytes = 2 << 20
)

// Tidy merges recent writes into the bottom level of the database, table by table, if they are
// large relative to it; otherwise it does nothing. Reads and commits continue. pause is called
// between tables, each of which takes a tenth of a second; its error ends Tidy, and what was merged
// by then stays merged. nil = never.
func (s *Store) Tidy(ctx context.Context, pause func() error) error {
	if err := s.takeUpkeep(ctx); err != nil {
		return err
	}
	defer func() { <-s.upkeep }()
	if err := s.latch.run(s.db.Flush); err != nil { // what is in the log takes space twice
		return s.fault("tidy", err)
	}
	levels := s.db.Metrics().Levels
	bottom := levels[len(levels)-1].TablesSize
	above := int64(0)
	for _, level := range levels[:len(levels)-1] {
		above += level.TablesSize
	}
	if above < minTidyBytes || float64(above) < tidyShare*float64(bottom) {
		return nil
	}
	borders, err := s.borders()
	if err != nil {
		return fmt.Errorf("tidy memory: %w", err)
	}
	for i := 1; i < len(borders); i++ {
		if pause != nil {
			if err := pause(); err != nil {
				return err
			}
		}
		if err := s.latch.run(func() error { return s.db.Compact(ctx, borders[i-1], borders[i], false) }); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return s.fault("tidy", err)
		}
	}
	return nil
}

// borders returns the first keys of the tables, about one table's size apart, from before the first
// key to after the last.
func (s *Store) borders() ([][]byte, error) {
	tables, err := s.db.SSTables()
	if err != nil {
		return nil, err
	}
	all := [][]byte{{0}, {0xff, 0xff}}
	level := slices.MaxFunc(tables, func(a, b []pebble.SSTableInfo) int { return len(a) - len(b) })
	for _, table := range level {
		all = append(all, bytes.Clone(table.Smallest.UserKey))
	}
	slices.SortFunc(all, bytes.Compare)
	return slices.CompactFunc(all, bytes.Equal), nil
}
