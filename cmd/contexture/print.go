package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// palette marks up text for a terminal. The zero palette leaves it unchanged.
type palette struct{ on bool }

// colourEnd ends a colour.
const colourEnd = "\x1b[0m"

func (p palette) code(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + colourEnd
}

func (p palette) bold(s string) string   { return p.code("1", s) }
func (p palette) faint(s string) string  { return p.code("2", s) }
func (p palette) red(s string) string    { return p.code("31", s) }
func (p palette) green(s string) string  { return p.code("32", s) }
func (p palette) yellow(s string) string { return p.code("33", s) }
func (p palette) path(s string) string   { return p.code("36", s) }
func (p palette) match(s string) string  { return p.code("1;31", s) }

// count formats a number with commas between the thousands.
func count[T int | int64 | uint64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	digits := strings.TrimPrefix(s, "-")
	var b strings.Builder
	b.WriteString(s[:len(s)-len(digits)])
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

// counted formats a number with its noun, "1 file", "2 files", "2 entries".
func counted[T int | int64](n T, noun string) string {
	return count(n) + " " + plural(n, noun)
}

// plural returns the form of a noun for n.
func plural[T int | int64](n T, noun string) string {
	switch {
	case n == 1:
		return noun
	case strings.HasSuffix(noun, "y"):
		return strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "x"):
		return noun + "es"
	}
	return noun + "s"
}

// bytesText formats a size in the decimal units that file managers show.
func bytesText(n int64) string {
	units := []string{"kB", "MB", "GB", "TB"}
	if n < 1000 {
		return counted(n, "byte")
	}
	size := float64(n) / 1000
	i := 0
	for ; size >= 999.5 && i < len(units)-1; i++ {
		size /= 1000
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, units[i])
	}
	return fmt.Sprintf("%.0f %s", size, units[i])
}

// durationText formats a duration, rounded for a person.
func durationText(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// oneLine makes a text from files or settings safe for a line of output: control characters, to
// which the terminal could react, become visible, and the text is cut to at most width characters
// (0 = not cut), between two words if it has any near there.
func oneLine(s string, width int) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if width > 0 && n == width-1 && i+size < len(s) {
			return cutAtBlank(b.String()) + "…"
		}
		b.WriteString(visible(r, size, s[i]))
		i += size
		n++
	}
	return b.String()
}

// cutAtBlank returns text without the word at its end, which is not whole, unless that is most of
// it.
func cutAtBlank(text string) string {
	if i := strings.LastIndexByte(text, ' '); i > len(text)/2 {
		return text[:i]
	}
	return text
}

// lines applies oneLine to each line of a text.
func lines(s string) string {
	all := strings.Split(s, "\n")
	for i, line := range all {
		all[i] = oneLine(line, 0)
	}
	return strings.Join(all, "\n")
}

// visible formats one rune so that the terminal shows it and does not react to it.
func visible(r rune, size int, first byte) string {
	switch {
	case r == utf8.RuneError && size <= 1:
		return fmt.Sprintf(`\x%02x`, first)
	case r == '\t':
		return " "
	case r == '\n':
		return `\n`
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return string(r)
}

// block makes a text of several lines safe for a terminal, see oneLine; tabs are kept.
func block(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return '�'
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
}

// indented makes a text safe for a terminal, see block, and begins each line with indent.
func indented(indent, text string) string {
	return indent + strings.ReplaceAll(block(text), "\n", "\n"+indent) + "\n"
}

// listed writes items in the order given, with an empty line between two of them.
func listed[T any](items []T, write func(b *strings.Builder, item T)) string {
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte('\n')
		}
		write(&b, item)
	}
	return b.String()
}

// show writes text for a person to standard output, folded to the terminal, see page.
func (e *environment) show(text string) error {
	return e.page(folded(text, e.widthOf(e.out)))
}

// table lays out rows for standard output, with the columns in right aligned to the right.
func (e *environment) table(indent string, rows [][]string, right ...int) string {
	return grid{e.widthOf(e.out), indent, right, rows}.String()
}

// printJSON writes a result as indented JSON, without escaping HTML characters.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}
