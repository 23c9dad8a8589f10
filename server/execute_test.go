package server

import (
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
)

// TestDisciplines checks that every command has a discipline, and some of them by name.
func TestDisciplines(t *testing.T) {
	if len(disciplines) != len(command.Names) {
		t.Errorf("%d disciplines of %d commands", len(disciplines), len(command.Names))
	}
	for name, want := range map[string]discipline{
		"contexture.bundle": {hasty: true, free: true}, "contexture.conversation.list": {}, "contexture.board.put": {changes: true, class: engine.Write},
		"contexture.knowledge.process": {free: true}, "contexture.conversation.append": {changes: true, itself: true, free: true},
		"contexture.metrics": {class: engine.Quick},
	} {
		if disciplines[name] != want {
			t.Errorf("%s: %+v, want %+v", name, disciplines[name], want)
		}
	}
}
