package remember

import (
	"slices"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/indexer/lexical"
	"github.com/contexture-dev/contexture/memory/episode"
)

// TestEpisodesWithoutQuotations checks that the next episodes answer if the best has no quotation
// of the requested type, or none at all because its conversations were forgotten.
func TestEpisodesWithoutQuotations(t *testing.T) {
	of := func(id, title string, notes ...episode.Note) episode.Episode {
		return episode.Episode{ID: id, Title: episode.Note{Text: title}, Begin: monday, End: monday.Add(time.Hour), Spans: []episode.Span{{Conversation: id, From: 1, To: 2}}, Notes: notes}
	}
	x := episode.NewIndex([]episode.Episode{
		of("open", "the gateway retries uploads", episode.Note{Part: episode.Open, Text: "how often does the gateway retry uploads?", Conversation: "open", Turn: "T-1"}),
		of("bare", "the gateway retries uploads"),
		of("settled", "the gateway retries", episode.Note{Part: episode.Decided, Text: "retry uploads four times", Conversation: "settled", Turn: "T-1"}),
	}, func(text string, yield func(string)) { lexical.Terms([]byte(text), yield) })
	for memoryType, want := range map[string][]string{"any": {"open", "settled"}, "episode": {"open", "settled"}, "decision": {"settled"}} {
		found := x.Find("gateway retries uploads", mostEpisodes)
		if len(found) != 3 || found[2].ID != "settled" {
			t.Fatalf("the question finds %+v", found)
		}
		var got []string
		for _, c := range candidatesOf(found, memoryType) {
			got = append(got, c.ConversationID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", memoryType, got, want)
		}
	}
	if got := candidatesOf(nil, "any"); got != nil {
		t.Errorf("nothing found yields %v", got)
	}
}
