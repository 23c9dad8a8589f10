package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// TestLearningIsReported checks that the client of a workspace is notified of the progress of a run
// over its memory and of its results, and that the status has the same figures.
func TestLearningIsReported(t *testing.T) {
	root := servertest.Tree(t, map[string]string{"a.go": "package a\n"})
	e := servertest.Start(t, servertest.Options{Roots: []string{root}, Capabilities: canProgress})
	e.AwaitIdle()
	for c := range 3 {
		var messages []args
		for i := range 4 {
			messages = append(messages, args{"role": "user", "id": fmt.Sprint(c, i), "content": fmt.Sprintf("zorbex drops parcel %d%d at night", c, i)})
		}
		ask[command.AppendResult](t, e, "contexture.conversation.append", args{"conversationId": fmt.Sprint("c", c), "messages": messages})
	}
	ask[command.ProcessResult](t, e, "contexture.knowledge.process", args{})
	e.Await("the end of the run is told", func(s *servertest.State) servertest.Verdict {
		n := len(s.Learned)
		return servertest.If(n > 0 && s.Learned[n-1].State == "idle" && s.Learned[n-1].Progress == nil)
	})
	s := e.State()
	last := s.Learned[len(s.Learned)-1]
	if last.Workspace != s.Last().Workspace || len(last.Changes) == 0 || last.Changes[0].Act != "new" || !strings.HasPrefix(last.Changes[0].Label, "zorbex") {
		t.Errorf("told %+v of %s", last, s.Last().Workspace)
	}
	st := ask[command.LearningStatus](t, e, "contexture.knowledge.status", args{})
	if len(st.Changes) != len(last.Changes) || st.Progress != nil || st.Problem != "" || st.Workspace != "" {
		t.Errorf("status %+v", st)
	}
	for _, p := range s.Progress {
		if strings.Contains(p.Token, "learning") {
			t.Errorf("a run that is over at once is shown: %+v", p)
		}
	}
}
