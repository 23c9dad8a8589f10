//go:build linux

package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// row is a line of the table. A figure is compared if limit is above 0.
type row struct {
	what  string
	value float64
	limit float64 // the highest accepted value, or the lowest if least
	least bool
	unit  string
	note  string
}

// table collects rows.
type table struct{ rows []row }

func (t *table) add(what string, value, limit float64, unit, note string, args ...any) {
	t.rows = append(t.rows, row{what, value, limit, false, unit, fmt.Sprintf(note, args...)})
}

// least adds a figure that must reach a minimum.
func (t *table) least(what string, value, limit float64, unit, note string, args ...any) {
	t.rows = append(t.rows, row{what, value, limit, true, unit, fmt.Sprintf(note, args...)})
}

// exact adds a count that must equal a value.
func (t *table) exact(what string, value, want float64, note string, args ...any) {
	t.rows = append(t.rows, row{what, value, want, false, "=", fmt.Sprintf(note, args...)})
}

func (r row) verdict() string {
	reached := r.value <= r.limit
	switch {
	case r.unit == "=":
		reached = r.value == r.limit
	case r.limit <= 0:
		return ""
	case r.least:
		reached = r.value >= r.limit
	}
	if reached {
		return "reached"
	}
	return "MISSED"
}

// print writes the table and returns the number of figures that miss their limits.
func (t *table) print(w io.Writer) (missed int) {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "what\tmeasured\tmust reach\t\tnote")
	for _, r := range t.rows {
		unit, limit := r.unit, ""
		switch {
		case unit == "=":
			unit, limit = "", fmt.Sprintf("%g", r.limit)
		case r.least && r.limit > 0:
			limit = fmt.Sprintf("≥ %g%s", r.limit, r.unit)
		case r.limit > 0:
			limit = fmt.Sprintf("≤ %g%s", r.limit, unit)
		}
		if r.verdict() == "MISSED" {
			missed++
		}
		fmt.Fprintf(out, "%s\t%s%s\t%s\t%s\t%s\n", r.what, figure(r.value), unit, limit, r.verdict(), r.note)
	}
	_ = out.Flush() // standard output: a failure cannot be reported
	return missed
}

// figure formats a number with three significant digits.
func figure(v float64) string {
	switch {
	case v == float64(int64(v)):
		return fmt.Sprintf("%d", int64(v))
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// percentile returns the nearest rank: of 200 times the 99th is the 198th.
func percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	rank := int(p*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func mb(n int64) float64         { return float64(n) / (1 << 20) }

func TestPercentile(t *testing.T) {
	var times []time.Duration
	for i := 200; i >= 1; i-- {
		times = append(times, time.Duration(i))
	}
	for _, c := range []struct {
		p    float64
		want time.Duration
	}{{.50, 100}, {.95, 190}, {.99, 198}, {1, 200}, {0, 1}} {
		if got := percentile(times, c.p); got != c.want {
			t.Errorf("percentile %g is %d, want %d", c.p, got, c.want)
		}
	}
	if percentile(nil, .5) != 0 {
		t.Error("no times have a percentile")
	}
}

func TestTableTellsWhatIsMissed(t *testing.T) {
	var table table
	table.add("fast", 3.14159, 5, " ms", "of %d", 2)
	table.add("slow", 51, 50, " ms", "")
	table.add("only told", 7, 0, " MB", "")
	table.least("many", 21, 20, " ×", "")
	table.least("few", 19.5, 20, " ×", "")
	table.exact("right", 0, 0, "")
	table.exact("wrong", 1, 0, "")
	var b strings.Builder
	if missed := table.print(&b); missed != 3 {
		t.Errorf("%d figures are missed, want 3", missed)
	}
	for _, want := range []string{"3.14 ms", "≤ 50 ms", "MISSED", "7 MB", "of 2", "≥ 20 ×"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
}
