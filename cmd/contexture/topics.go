package main

import (
	"embed"
	"path"
	"strings"
)

// topicFiles are the help topics. Each begins with a heading "# name: title".
//
//go:embed topics/*.md
var topicFiles embed.FS

// topic is a help page about a subject that concerns several commands.
type topic struct{ name, title, text string }

// topics returns the help topics in alphabetical order.
func topics() []topic {
	entries, err := topicFiles.ReadDir("topics")
	if err != nil {
		panic("read the embedded topics: " + err.Error())
	}
	var out []topic
	for _, e := range entries {
		text, err := topicFiles.ReadFile(path.Join("topics", e.Name()))
		if err != nil {
			panic("read the embedded topics: " + err.Error())
		}
		head, _, _ := strings.Cut(string(text), "\n")
		_, title, _ := strings.Cut(head, ": ")
		out = append(out, topic{strings.TrimSuffix(e.Name(), ".md"), title, string(text)})
	}
	return out
}

// topicNamed returns the topic with a name.
func topicNamed(name string) (topic, bool) {
	for _, t := range topics() {
		if t.name == name {
			return t, true
		}
	}
	return topic{}, false
}

// topicList returns the part of the program's help that lists the topics.
func topicList(most int) string {
	var rows [][]string
	for _, t := range topics() {
		rows = append(rows, []string{t.name, t.title})
	}
	return "\n\nTopics (contexture help TOPIC):\n" + strings.TrimRight(grid{most: most, indent: "  ", rows: rows}.String(), "\n")
}
