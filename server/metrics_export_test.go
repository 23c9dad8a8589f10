package server_test

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/servertest"
)

// scraped returns the text of the metrics at an address.
func scraped(t *testing.T, address string) string {
	t.Helper()
	answer, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v, %s", answer.Status, err, text)
	}
	return string(text)
}

// TestMetricsAreServed checks that the setting metrics.listen serves the figures of all sessions as
// long as one session has it set, and that it applies without a restart.
func TestMetricsAreServed(t *testing.T) {
	const listen = "127.0.0.1:0"
	root := servertest.Tree(t, map[string]string{"a.go": source("quetzal"), "b.go": source("heron")})
	v := servertest.NewServer(t, servertest.Options{})
	one := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}, InitOptions: args{"metrics.listen": listen}})
	two := servertest.Start(t, servertest.Options{Server: v, Roots: []string{root}})
	one.AwaitIdle()
	two.MustExecute("contexture.bundle", args{"prompt": "what does quetzal do?"}, nil)
	if err := two.Execute("contexture.nothing", nil, nil); err == nil {
		t.Error("there is a command contexture.nothing")
	}
	address := v.MetricsAddress(listen)
	text := scraped(t, address)
	for _, line := range []string{
		"contexture_injection_bundles_total 1", "contexture_sessions 2", "contexture_request_errors_total 1", "contexture_index_files 2",
		`contexture_stage_outcomes_total{outcome="ok",stage="keyword"} 1`, `contexture_stage_duration_seconds_count{stage="keyword"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if strings.Contains(text, "quetzal") || strings.Contains(text, root) {
		t.Errorf("text of a file, a prompt or a path is in\n%s", text)
	}
	one.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"metrics": args{"listen": ""}}}})
	one.MustExecute("contexture.config", nil, nil) // the notification has been seen
	if at := v.MetricsAddress(listen); at != "" {
		t.Errorf("switched off, they are served at %s", at)
	}
	one.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"metrics": args{"listen": listen}}}})
	one.MustExecute("contexture.config", nil, nil)
	if v.MetricsAddress(listen) == "" {
		t.Error("switched on again, they are not served")
	}
	one.Hang()
	one.Exited()
	if at := v.MetricsAddress(listen); at != "" {
		t.Errorf("without a session that wants them, they are served at %s", at)
	}
}

// TestMetricsAddressErrors checks that an address already in use is reported once, and that an
// address of another machine is rejected.
func TestMetricsAddressErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	e := servertest.Start(t, servertest.Options{InitOptions: args{"metrics.listen": taken.Addr().String()}})
	e.Await("it is told", func(s *servertest.State) servertest.Verdict { return servertest.If(len(s.Messages) > 0) })
	for i := range 3 {
		e.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"budget.default": 1000 + i, "metrics.listen": taken.Addr().String()}}})
	}
	e.Notify("workspace/didChangeConfiguration", args{"settings": args{"contexture": args{"metrics.listen": "0.0.0.0:9477"}}})
	e.Await("the refusal", func(s *servertest.State) servertest.Verdict { return servertest.If(len(s.Messages) > 1) })
	got := e.State().Messages
	if len(got) != 2 || !strings.Contains(got[0], "metrics.listen: nothing is served at "+taken.Addr().String()+": another process listens there") ||
		!strings.Contains(got[1], "metrics.listen must be a loopback address") {
		t.Errorf("told: %q", got)
	}
}

func TestMetricsRecent(t *testing.T) {
	e := servertest.Start(t, servertest.Options{Roots: []string{project(t)}})
	e.AwaitIdle()
	bundleOf(t, e, args{"prompt": "how does Backoff work?"})
	if err := e.Execute("contexture.search", args{"limit": 0}, nil); err == nil {
		t.Fatal("a search without a query")
	}
	r := ask[command.RecentResult](t, e, "contexture.metrics.recent", args{})
	if len(r.Requests) != 2 {
		t.Fatalf("%+v", r.Requests)
	}
	search, bundle := r.Requests[0], r.Requests[1]
	if search.Command != "contexture.search" || search.Outcome != "error" || len(search.Stages) > 0 {
		t.Errorf("%+v", search)
	}
	if bundle.Command != "contexture.bundle" || bundle.Outcome != "ok" || bundle.MS <= 0 || bundle.At.IsZero() || bundle.At.After(search.At.Time) ||
		!slices.ContainsFunc(bundle.Stages, func(s command.RecentStage) bool { return s.Name == "keyword" }) {
		t.Errorf("%+v", bundle)
	}
}

// TestRecentFaultsOfServer checks that errors logged by any part are among the faults.
func TestRecentFaultsOfServer(t *testing.T) {
	e := servertest.Start(t, servertest.Options{})
	e.Notify("textDocument/didOpen", map[string]any{"textDocument": 3})
	e.Eventually("the notification that cannot be read is a fault", func() bool {
		r := ask[command.RecentResult](t, e, "contexture.metrics.recent", args{})
		return slices.ContainsFunc(r.Faults, func(f command.RecentFault) bool {
			return f.Component == "server/transport" && strings.HasPrefix(f.Message, "notification failed: ")
		})
	})
}
