package command

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// formats are the rules for strings that no length or list of values can express. Each returns the
// violation, or "". A format may also rewrite the value into its canonical form.
var formats = map[string]func(*string) string{
	"id":      checkID,
	"uri":     checkURI,
	"glob":    checkGlob,
	"turn":    checkTurn,
	"turnRef": checkTurn, // the decoder turns a number into an id
}

// checkID admits what can be shown, logged and compared safely. It refuses U+FFFD, which replaces
// invalid text, since two different invalid ids would become equal.
func checkID(s *string) string {
	for _, r := range *s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return "must consist of printable characters"
		}
	}
	return ""
}

func checkURI(s *string) string {
	u, err := url.Parse(*s)
	if err != nil || len(u.Scheme) < 2 || // one letter is a Windows drive
		strings.ContainsRune(*s, utf8.RuneError) {
		return "must be a URI with a scheme, such as file:///dir/file"
	}
	return ""
}

func checkGlob(s *string) string {
	if !doublestar.ValidatePattern(*s) {
		return "must be a glob, such as **/*_test.go"
	}
	return ""
}

func checkTurn(s *string) string {
	if _, ok := TurnNumber(*s); !ok {
		return "must be a turn id, T-<n> with n from 1"
	}
	return ""
}

// TurnNumber returns the number in a turn id, `T-<n>` with n from 1 and without leading zeros.
func TurnNumber(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "T-")
	if !ok || digits == "" || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt {
		return 0, false
	}
	return int(n), true
}

// TurnID returns the id of turn n.
func TurnID(n int) string { return "T-" + strconv.Itoa(n) }

// text checks a string against the rules.
func (r *rules) text(s *string, path string) *Error {
	if b := r.bytes; b != nil {
		if err := within(len(*s), b, "bytes", path); err != nil {
			return err
		}
	}
	if c := r.chars; c != nil {
		// A character has at most four bytes: far too long a text need not be counted.
		n := len(*s)
		if n <= 4*c[1] {
			n = utf8.RuneCountInString(*s)
		}
		if err := within(n, c, "characters", path); err != nil {
			return err
		}
	}
	if len(r.enum) > 0 && !slices.Contains(r.enum, *s) {
		return InvalidParams(path, "must be one of %s", strings.Join(r.enum, ", "))
	}
	if r.format != "" {
		if wrong := formats[r.format](s); wrong != "" {
			return InvalidParams(path, "%s", wrong)
		}
	}
	return nil
}

// number checks a number against the rules.
func (r *rules) number(n float64, path string) *Error {
	low, high := r.min != nil && n < *r.min, r.max != nil && n > *r.max
	switch {
	case !low && !high:
		return nil
	case r.min != nil && r.max != nil:
		return InvalidParams(path, "must be from %s to %s", formatBound(*r.min), formatBound(*r.max))
	case low:
		return InvalidParams(path, "must be at least %s", formatBound(*r.min))
	}
	return InvalidParams(path, "must be at most %s", formatBound(*r.max))
}

func within(n int, span *[2]int, unit, path string) *Error {
	switch {
	case n < span[0] && n == 0:
		return InvalidParams(path, "must not be empty")
	case n < span[0]:
		return InvalidParams(path, "must have at least %d %s", span[0], unit)
	case n > span[1]:
		return InvalidParams(path, "must have at most %d %s", span[1], unit)
	}
	return nil
}

func formatBound(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// checker is implemented by argument types with rules that concern more than one field. It runs
// once all fields of the value have been read; path is the value's path.
type checker interface {
	check(path string) *Error
}

func (r *Range) check(path string) *Error {
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Character < r.Start.Character {
		return InvalidParams(join(path, "end"), "must not be before the start")
	}
	return nil
}

func (o *LayerOverride) check(path string) *Error {
	if o.Min != nil && o.Max != nil && *o.Min > *o.Max {
		return InvalidParams(join(path, "min"), "must not be above max")
	}
	return nil
}

func (a *BundleArgs) check(path string) *Error {
	if a.TextDocument == nil && (a.Position != nil || a.Selection != nil) {
		return InvalidParams(join(path, "textDocument"), "is required with position or selection")
	}
	return nil
}

func (a *RecallArgs) check(path string) *Error {
	if a.Query == "" && a.Expand == "" {
		return InvalidParams(join(path, "query"), "is required unless expand is given")
	}
	return nil
}

func (a *TicklersArgs) check(path string) *Error {
	place := a.Position != nil || a.Range != nil
	switch {
	case a.Prompt != "" && a.TextDocument != nil:
		return InvalidParams(join(path, "textDocument"), "must not be given together with prompt")
	case a.TextDocument == nil && place:
		return InvalidParams(join(path, "textDocument"), "is required with position or range")
	case a.TextDocument != nil && !place:
		return InvalidParams(join(path, "position"), "or range is required with textDocument")
	case a.Prompt == "" && a.TextDocument == nil:
		return InvalidParams(join(path, "prompt"), "or textDocument is required")
	}
	return nil
}

func (m *Message) check(path string) *Error {
	size := len(m.Content) + len(m.Reasoning)
	for i := range m.ToolCalls {
		c := &m.ToolCalls[i]
		size += len(c.Name) + len(c.Arguments) + len(c.Result)
	}
	if size > MaxMessageBytes {
		return InvalidParams(path, "must have at most %d bytes in content, reasoning and tool calls", MaxMessageBytes)
	}
	return nil
}

func (a *WindowArgs) check(path string) *Error {
	if a.ArcBudget == nil {
		share := a.Budget * 15 / 100
		a.ArcBudget = &share
	}
	if *a.ArcBudget >= a.Budget {
		return InvalidParams(join(path, "arcBudget"), "must be below the budget")
	}
	return nil
}
