package recall

import (
	"net/url"
	"path"
	"strings"

	"github.com/contexture-dev/contexture/memory/dialogue"
	"github.com/contexture-dev/contexture/memory/level"
)

// The fields of a message and the weight of a term in each (BM25F). Of a tool call one line is
// indexed, as it is shown: its name, its parameters, and its error or the beginning of its result.
const (
	contentWeight = 1
	symbolWeight  = 1.5
	pathWeight    = 1
	callWeight    = .5
)

// dataMark begins the terms that are not words, see [Terms].
const dataMark = "#"

// asksFlag marks, in the table of messages, one that asks something.
const asksFlag = 1

// document is a message as it is indexed.
type document struct {
	weights map[string]float64
	length  float64
	flags   uint8
	authors []string // terms of the author's name
}

func read(m dialogue.Message, terms Terms) document {
	d := document{weights: map[string]float64{}}
	if m.Role != dialogue.System && m.Role != dialogue.Tool { // not the host's, nor a tool's
		d.add(m.Content, contentWeight, terms)
	}
	for _, s := range m.Symbols {
		d.add(s, symbolWeight, terms)
	}
	for _, u := range m.URIs {
		d.add(fileName(u), pathWeight, terms)
	}
	for _, c := range m.ToolCalls {
		d.add(level.CallLine(c), callWeight, terms)
	}
	if m.Named() {
		terms(m.Author, func(t string) { d.authors = append(d.authors, t) })
	}
	if strings.Contains(m.Content, "?") {
		d.flags |= asksFlag
	}
	return d
}

func (d *document) add(text string, weight float64, terms Terms) {
	terms(text, func(t string) {
		d.weights[t] += weight
		if !strings.HasPrefix(t, dataMark) {
			d.length += weight
		}
	})
}

// fileName returns the part of a URI by which a person would name it: the file and its folder.
func fileName(uri string) string {
	if plain, err := url.PathUnescape(uri); err == nil {
		uri = plain
	}
	dir, file := path.Split(strings.TrimRight(uri, "/"))
	return path.Base(dir) + " " + file
}
