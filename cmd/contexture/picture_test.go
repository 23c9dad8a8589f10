package main

import (
	"encoding/xml"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The README's picture of a terminal: its width in columns, the size of a cell and the margin in
// pixels, and the times for which a person types, waits and reads.
const (
	pictureColumns        = 84
	cellWidth, cellHeight = 8.4, 19.0
	margin                = 16.0
	perKey                = 45 * time.Millisecond
	beforeAnswer          = 300 * time.Millisecond
	reading               = 4700 * time.Millisecond
)

// picturePath is the picture, which the README shows.
const picturePath = moduleRoot + "/editors/screenshots/terminal.svg"

// pictured are the command lines of the picture.
var pictured = []string{
	`search "who waits for a connection of the pool?" -n 3`,
	`recall --type decision "why three retries?"`,
	`impact`,
}

// TestTerminalPicture checks that the README's picture shows what the commands print, that it is
// well-formed, and that it needs nothing from outside (UPDATE_SCRIPTS=1 writes it anew).
func TestTerminalPicture(t *testing.T) {
	w := screenWorld(t)
	var scenes []scene
	for _, line := range pictured {
		text := strings.TrimRight(unlinked(w.seen(pictureColumns, true, words(line)...)), "\n")
		text = strings.ReplaceAll(text, time.Now().Format(time.DateOnly), "2026-10-08")
		scenes = append(scenes, scene{"contexture " + line, strings.Split(text, "\n")})
	}
	got := animated(scenes)
	if err := xml.Unmarshal([]byte(got), new(struct{})); err != nil {
		t.Fatalf("the picture is not well-formed: %v", err)
	}
	for _, outside := range []string{"<script", "href", "url(", "@import", w.env["HOME"]} {
		if strings.Contains(got, outside) {
			t.Errorf("the picture has %s", outside)
		}
	}
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(filepath.FromSlash(picturePath), []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(filepath.FromSlash(picturePath))
	if err != nil || string(want) != got {
		t.Errorf("%s differs from what the commands print (%v); UPDATE_SCRIPTS=1 writes it anew", picturePath, err)
	}
}

// scene is a command line that is typed, and what the terminal then shows.
type scene struct {
	typed string
	lines []string
}

// lasts returns how long the command line is typed, and the whole scene.
func (s scene) lasts() (typing, all time.Duration) {
	typing = time.Duration(len(s.typed)) * perKey
	return typing, typing + beforeAnswer + reading
}

// animated returns an SVG in which the scenes follow each other for ever. Where motion is unwanted
// it shows the last one.
func animated(scenes []scene) string {
	var whole, begin time.Duration
	for _, s := range scenes {
		_, all := s.lasts()
		whole += all
	}
	share := func(at time.Duration) string { return fmt.Sprintf("%.2f%%", 100*float64(at)/float64(whole)) }
	var rules, body strings.Builder
	rows := 0
	for i, s := range scenes {
		typing, all := s.lasts()
		from, typed, shown, to := begin, begin+typing, begin+typing+beforeAnswer, begin+all
		begin = to
		fmt.Fprintf(&rules, "@keyframes s%d{0%%{opacity:0}%s{opacity:1}%s,100%%{opacity:0}}\n", i, share(from), share(to))
		fmt.Fprintf(&rules, "@keyframes o%d{0%%{opacity:0}%s,100%%{opacity:1}}\n", i, share(shown))
		fmt.Fprintf(&rules, "@keyframes k%d{0%%{transform:none}%s{transform:none;animation-timing-function:steps(%d)}%s,100%%{transform:translateX(%.1fpx)}}\n",
			i, share(from), len(s.typed), share(typed), float64(len(s.typed))*cellWidth)
		fmt.Fprintf(&rules, "#s%d{animation-name:s%d}#o%d{animation-name:o%d}#k%d{animation-name:k%d}\n", i, i, i, i, i, i)
		fmt.Fprintf(&body, "<g id=\"s%d\" class=\"t scene\">\n%s", i, textLine(0, "\x1b[32m$\x1b[0m "+s.typed))
		fmt.Fprintf(&body, "<g id=\"k%d\" class=\"t key\"><rect class=\"w\" x=\"%.1f\" y=\"%.1f\" width=\"2000\" height=\"%.1f\"/><rect class=\"c\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></g>\n<g id=\"o%d\" class=\"t\">\n",
			i, margin+2*cellWidth, margin, cellHeight+2, margin+2*cellWidth, margin+2, cellWidth, cellHeight-3, i)
		for row, line := range s.lines {
			body.WriteString(textLine(row+1, line))
		}
		body.WriteString("</g></g>\n")
		rows = max(rows, 1+len(s.lines))
	}
	width, height := 2*margin+pictureColumns*cellWidth, 2*margin+float64(rows)*cellHeight
	return fmt.Sprintf(pictureFrame, width, height, width, height, whole.Seconds(), rules.String(), body.String(), width-1, height-1)
}

// pictureFrame is the picture around its scenes.
const pictureFrame = `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img" aria-label="A terminal in which contexture answers three commands">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#1f2328}
.w{fill:#fff}.c{fill:#1f2328}.b{font-weight:bold}.f{fill:#59636e}.r{fill:#c31a26}.g{fill:#116329}.y{fill:#7d4e00}.p{fill:#0a5c7d}.l{fill:none;stroke:#d1d9e0}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.w{fill:#0d1117}.c{fill:#e6edf3}.f{fill:#9198a1}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.p{fill:#56d4dd}.l{stroke:#3d444d}}
.t{animation:%.2fs step-end infinite}.scene{opacity:0}.scene:last-of-type{opacity:1}
@media(prefers-reduced-motion){.t{animation:none!important}.key{display:none}}
%s</style>
<rect class="w" width="100%%" height="100%%" rx="8"/>
%s<rect class="l" x=".5" y=".5" width="%.0f" height="%.0f" rx="8"/>
</svg>
`

// styles are the classes of a text by the codes of its colours.
var styles = map[string]string{"1": "b", "2": "f", "31": "r", "32": "g", "33": "y", "36": "p", "1;31": "b r"}

// textLine returns a line of a terminal, which is as wide in every font.
func textLine(row int, line string) string {
	plain := bare(line)
	if strings.TrimSpace(plain) == "" {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f">`, margin, margin+float64(row)*cellHeight+14, float64(columnsOf(plain))*cellWidth)
	class := ""
	for line != "" {
		text, mark := line, ""
		if at := sgr.FindStringIndex(line); at != nil {
			text, mark = line[:at[0]], line[at[0]:at[1]]
		}
		line = line[len(text)+len(mark):]
		switch text = html.EscapeString(text); {
		case text != "" && class != "":
			fmt.Fprintf(&b, `<tspan class="%s">%s</tspan>`, class, text)
		default:
			b.WriteString(text)
		}
		if mark != "" {
			class = styles[strings.Trim(mark, "\x1b[m")]
		}
	}
	return b.String() + "</text>\n"
}
