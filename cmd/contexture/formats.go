package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/contexture-dev/contexture/server/command"
)

// printMarkdown writes a bundle for a chat: each item in a fence below a heading that names it, and
// the prompt at the end.
func printMarkdown(out io.Writer, w *workspace, r *command.BundleResult) error {
	var b strings.Builder
	prompt := ""
	for _, it := range r.Items {
		body := itemBody(r.Text, it)
		if it.Kind == "prompt" {
			prompt = body
			continue
		}
		language := ""
		if it.Kind == "code" {
			language = strings.TrimPrefix(path.Ext(it.URI), ".")
		}
		fence := fenceFor(body)
		fmt.Fprintf(&b, "### %s\n\n%s%s\n%s%s\n\n", itemName(w, it), fence, language, ended(body), fence)
	}
	b.WriteString(ended(prompt))
	_, err := io.WriteString(out, b.String())
	return err
}

// itemName returns an item's name for a heading: its location, or what it is.
func itemName(w *workspace, it command.Item) string {
	if it.URI != "" {
		return w.place(it.URI, it.Range, true)
	}
	name := kindName(it.Kind, 1)
	switch {
	case it.ConversationID != "" && it.TurnID != "":
		name += " " + it.TurnID + " of " + oneLine(it.ConversationID, 0)
	case it.Title != "":
		name += ": " + oneLine(it.Title, 100)
	}
	return name
}

// fenceFor returns a fence that text cannot close: longer than each run of backticks in it.
func fenceFor(text string) string {
	longest, run := 0, 0
	for _, c := range text {
		if run++; c != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(3, longest+1))
}

// itemBody returns an item's text without its delimiters, unescaped.
func itemBody(text string, it command.Item) string {
	if it.Span == nil {
		return ""
	}
	element := text[it.Span.Start:it.Span.End]
	if it.Kind == "prompt" {
		return innerText(element) // is not escaped
	}
	return bodyOf(element)
}

// xmlItem is an item of a bundle in XML.
type xmlItem struct {
	Kind         string `xml:"kind,attr"`
	Path         string `xml:"path,attr,omitempty"`
	Lines        string `xml:"lines,attr,omitempty"`
	Title        string `xml:"title,attr,omitempty"`
	Conversation string `xml:"conversation,attr,omitempty"`
	Turn         string `xml:"turn,attr,omitempty"`
	Reason       string `xml:"reason,attr,omitempty"`
	Text         string `xml:",chardata"`
}

// printXML writes a bundle as a well-formed XML document.
func printXML(out io.Writer, w *workspace, r *command.BundleResult) error {
	doc := struct {
		XMLName xml.Name  `xml:"bundle"`
		Tokens  int       `xml:"tokens,attr"`
		Items   []xmlItem `xml:"item"`
	}{Tokens: r.Tokens}
	for _, it := range r.Items {
		x := xmlItem{Kind: it.Kind, Title: it.Title, Conversation: it.ConversationID, Turn: it.TurnID, Reason: it.Reason, Text: "\n" + ended(itemBody(r.Text, it))}
		if at := w.placeOf(it.URI, it.Range); at.Path != "" {
			x.Path = at.Path
			if at.Line > 0 {
				x.Lines = fmt.Sprintf("%d-%d", at.Line, at.EndLine)
			}
		}
		doc.Items = append(doc.Items, x)
	}
	text, err := xml.MarshalIndent(doc, "", "")
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, xml.Header+ended(string(text)))
	return err
}
