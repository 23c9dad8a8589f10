package memory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// longTalk is a conversation of many different sentences: requests, decisions, questions and
// answers.
func longTalk(messages int) []dialogue.Message {
	parts := [...][]string{
		{"Let's use", "Could we try", "I decided on", "Why do we need", "Please look at", "We should move to", "What happens with", "Actually, switch to"},
		{"the parser", "a ring buffer", "Postgres", "the retry loop", "a token bucket", "the upload queue", "gRPC", "the session cookie", "the shard map", "libvips", "the settings page"},
		{"in store/segment.go", "for the nightly export", "instead of the old cache", "because the build is slow", "when a worker dies", "before the release", "on the second replica"},
		{"and measure the tail.", "with a limit of 512 entries.", "so that nothing is lost?", "and tell the team on Monday.", "which took four days last year?", "after the migration."},
	}
	seed := uint64(9)
	next := func(n int) int {
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed >> 33 % uint64(n))
	}
	msgs := make([]dialogue.Message, messages)
	for i := range msgs {
		var b strings.Builder
		for range 1 + next(4) {
			for _, p := range parts {
				b.WriteString(p[next(len(p))] + " ")
			}
			fmt.Fprintf(&b, "Case %d of the module_%d says otherwise. ", next(9000), next(700))
		}
		msgs[i] = dialogue.Message{ID: fmt.Sprint("m", i), Role: dialogue.User, Content: b.String()}
		if i%2 == 1 {
			msgs[i].Role = dialogue.Assistant
		}
	}
	return msgs
}

// longWorkspace holds one conversation of many messages, whose versions are made.
func longWorkspace(b *testing.B, messages int) *Workspace {
	b.Helper()
	w := workspace(b, opened(b, b.TempDir()))
	for rest := longTalk(messages); len(rest) > 0; {
		n := min(len(rest), 500)
		if _, err := w.Append(Addition{Conversation: "c", Messages: rest[:n]}); err != nil {
			b.Fatal(err)
		}
		rest = rest[n:]
	}
	versioner{w}.make(nil)
	return w
}

func windowOf(b *testing.B, w *Workspace) {
	b.Helper()
	v := w.View()
	defer v.Close()
	info, err := v.Conversations.Find("c")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := v.Window(info, 8000, 400, "words", words); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkWindow lays out a conversation of 10,000 messages: with empty caches, with full ones,
// and after an append.
func BenchmarkWindow(b *testing.B) {
	w := longWorkspace(b, 10_000)
	b.Run("cold", func(b *testing.B) {
		for range b.N {
			w.memory.cache.clear()
			windowOf(b, w)
		}
	})
	b.Run("warm", func(b *testing.B) {
		for range b.N {
			windowOf(b, w)
		}
	})
	b.Run("grown", func(b *testing.B) {
		for i := range b.N {
			b.StopTimer()
			role := dialogue.User
			if i%2 == 1 {
				role = dialogue.Assistant
			}
			if _, err := w.Append(Addition{Conversation: "c", Messages: []dialogue.Message{{Role: role, Content: "Let's keep the queue. Should it page?"}}}); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			windowOf(b, w)
		}
	})
}

// BenchmarkLongPast measures the reads of a bundle in a conversation of 20,000 turns.
func BenchmarkLongPast(b *testing.B) {
	w := longWorkspace(b, 40_000)
	past := func(b *testing.B) {
		v := w.View()
		defer v.Close()
		info, err := v.Conversations.Find("c")
		if err != nil {
			b.Fatal(err)
		}
		sizes, err := v.Turns.Sizes(info)
		if err != nil || len(sizes) != 20_000 {
			b.Fatal(len(sizes), err)
		}
		if _, err := v.Arcs.Of(info, "rich", 300); err != nil {
			b.Fatal(err)
		}
	}
	past(b)
	b.Run("sizes", func(b *testing.B) {
		for range b.N {
			v := w.View()
			info, err := v.Conversations.Find("c")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := v.Turns.Sizes(info); err != nil {
				b.Fatal(err)
			}
			v.Close()
		}
	})
	b.Run("cold", func(b *testing.B) {
		for range b.N {
			w.memory.cache.clear()
			past(b)
		}
	})
	b.Run("warm", func(b *testing.B) {
		for range b.N {
			past(b)
		}
	})
}

// BenchmarkProcess measures an offline run over 3,000 turns of sixty conversations: the first one,
// and one that finds nothing new.
func BenchmarkProcess(b *testing.B) {
	w := workspace(b, opened(b, b.TempDir()))
	for i, rest := 0, longTalk(6000); len(rest) > 0; i++ {
		if _, err := w.Append(Addition{Conversation: fmt.Sprint("c", i), Messages: rest[:100]}); err != nil {
			b.Fatal(err)
		}
		rest = rest[100:]
	}
	for _, full := range []bool{true, false} {
		b.Run(fmt.Sprintf("full=%v", full), func(b *testing.B) {
			for range b.N {
				if _, err := w.Process(b.Context(), Processing{Full: full}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
