//go:build linux

package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// pairedShare is the share of another build's time that an answer may take.
const pairedShare = .5

// BenchmarkPaired compares the program with the build that CONTEXTURE_BASE names, on a copy of Go's
// source tree.
func BenchmarkPaired(b *testing.B) {
	if b.N != 1 {
		b.Fatal("this measures many things once: run it with -benchtime 1x")
	}
	base := os.Getenv("CONTEXTURE_BASE")
	if base == "" {
		fmt.Println("CONTEXTURE_BASE names no other build: nothing to compare with")
		return
	}
	r := &run{load: load()}
	if err := r.prepare(b); err != nil {
		b.Fatal(err)
	}
	if err := r.paired(base); err != nil {
		b.Fatal(err)
	}
	fmt.Println()
	b.ReportMetric(float64(r.table.print(os.Stdout)), "missed")
}

// paired asks the program and another build the same questions in turns, so that the load of the
// machine is the same for both.
func (r *run) paired(base string) (err error) {
	questions, err := r.tree.questions(55)
	if err != nil {
		return err
	}
	clients := make([]*client, 2)
	for i, bin := range []string{base, r.bin} {
		if clients[i], err = start(bin, r.tree.root, filepath.Join(r.state, "paired", fmt.Sprint(i))); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, clients[i].stop()) }()
		if _, err = clients[i].ready(100 * time.Millisecond); err != nil {
			return err
		}
	}
	for name, ask := range map[string]func(c *client, question string) error{
		"bundle": func(c *client, question string) error {
			return c.command("contexture.bundle", map[string]any{"prompt": question}, nil)
		},
		"search": func(c *client, question string) error {
			_, err := c.search(question, "hybrid", 20)
			return err
		},
	} {
		took := [2][]time.Duration{}
		for n, q := range questions {
			for turn := range 2 {
				i := (n + turn) % 2
				begin := time.Now()
				if err := ask(clients[i], q); err != nil {
					return fmt.Errorf("%q: %w", q, err)
				}
				if n >= 5 {
					took[i] = append(took[i], time.Since(begin))
				}
			}
		}
		before, now := ms(percentile(took[0], .5)), ms(percentile(took[1], .5))
		r.table.add(name+" against the build of CONTEXTURE_BASE: p50", now/before, pairedShare, " ×", "%.1f against %.1f ms, %d questions in turns", now, before, len(took[0]))
	}
	return nil
}
