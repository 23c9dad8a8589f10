package arc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// TestFoldOfMany holds the growth, whatever the machine's speed; how long it takes is BenchmarkFold's.
func TestFoldOfMany(t *testing.T) {
	notes := many(10_000)
	took := func(notes []Notes) time.Duration {
		least := time.Hour
		for range 5 { // the machine may be busy
			begin := time.Now()
			Fold(notes, Dense, 2000, nil)
			least = min(least, time.Since(begin))
		}
		return least
	}
	if some, all := took(notes[:1000]), took(notes); all > 30*some {
		t.Errorf("ten times as many notes took %v instead of %v", all, some)
	}
	a := Fold(notes, Dense, 2000, nil)
	if len(a.Text) > 4*2000 || len(a.Text) < 2000 {
		t.Errorf("the text has %d bytes", len(a.Text))
	}
}

func many(n int) []Notes {
	notes := make([]Notes, n)
	for i := range notes {
		text := fmt.Sprintf("Please change module_%d in src/m%d/main.go so that it reads table_%d.", i, i, i)
		if i%3 == 0 {
			text += fmt.Sprintf(" Which region does service_%d run in?", i)
		}
		if i%5 == 0 {
			text += fmt.Sprintf(" Let's use driver_%d instead of driver_%d for module_%d.", i, i+1, i)
		}
		notes[i] = Note(dialogue.Turn{Number: i + 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: text},
			{Role: dialogue.Assistant, Content: "I changed the code as you asked and every check is green; the callers were adapted as well, and the documentation says so."}}})
	}
	return notes
}

func BenchmarkFold(b *testing.B) {
	notes := many(10_000)
	for b.Loop() {
		Fold(notes, Dense, 2000, nil)
	}
}

func TestNotesAreSmall(t *testing.T) {
	text := strings.Repeat("Let's use x1 instead of y2. Which port does the server listen on today? I looked at src/a.go and Foo.Bar in it. ", 20_000)
	turn := dialogue.Turn{Number: 1, Messages: []dialogue.Message{{Role: dialogue.User, Content: text}, {Role: dialogue.Assistant, Content: text}}}
	begin := time.Now()
	b, err := json.Marshal(Note(turn))
	if err != nil || len(b) > 8<<10 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
	var back Notes
	if err := json.Unmarshal(b, &back); err != nil {
		t.Error(err)
	}
}

func TestBudget(t *testing.T) {
	count := func(s string) int { return len(strings.Fields(s)) }
	notes := notesOf(queue)
	for _, style := range []Style{Light, Rich, Dense, "other"} {
		for budget := 1; budget < 200; budget += 7 {
			if a := Fold(notes, style, budget, count); count(a.Text) > budget {
				t.Errorf("%s: %d words of %d: %s", style, count(a.Text), budget, a.Text)
			}
		}
	}
	if a := Fold(nil, Rich, 100, count); a.Text != "" || a.Decisions == nil || a.Open == nil {
		t.Errorf("%+v", a)
	}
}

func TestShort(t *testing.T) {
	a := Short([]dialogue.Message{{Role: dialogue.User, Content: "Which cache?\nLet's use Redis instead of memcached. " + strings.Repeat("Ü", 200)}, {Role: dialogue.Assistant, Content: "Done."}})
	lines := strings.Split(a.Text, "\n")
	if len(lines) != 2 || lines[1] != "assistant: Done." || len([]rune(lines[0])) > len("user: ")+100 || !strings.HasSuffix(lines[0], "…") {
		t.Errorf("%q", lines)
	}
	if len(a.Decisions) != 1 || a.Decisions[0].Turn != 1 || a.Decisions[0].Rejected[0] != "memcached" {
		t.Errorf("%+v", a.Decisions)
	}
}

// each conversation has its decisions and open questions below it.
var folds = []struct{ name, script, want string }{
	{"replaced by the same subject", "u: Let's use Redis for the cache.\na: ok\nu: Let's use memcached for the cache.\na: ok",
		"decided T-2: Let's use memcached for the cache. [not Redis]"},
	{"two subjects stay", "u: Let's use Redis for the cache.\na: ok\nu: Let's use Postgres for the orders.\na: ok",
		"decided T-1: Let's use Redis for the cache.\ndecided T-2: Let's use Postgres for the orders."},
	{"changed mind without a subject", "u: Let's go with Redis.\na: ok\nu: Actually, use Valkey instead.\na: ok",
		"decided T-2: Actually, use Valkey instead. [not Redis]"},
	{"said again", "u: Let's go with Redis.\na: ok\nu: As I said: we're going with Redis.\na: ok", "decided T-1: Let's go with Redis."},
	{"there and back", "u: Let's use Redis instead of memcached.\na: ok\nu: Let's switch to memcached.\na: ok",
		"decided T-2: Let's switch to memcached. [not Redis]"},
	{"confirmed", "u: How should ids look?\na: Ids could be numbers or text. I recommend UUIDv7 ids over serial numbers.\nu: yes, do that", "decided T-2: I recommend UUIDv7 ids over serial numbers."},
	{"confirmed question", "u: the page is slow\na: It loads 4 MB of images on the page. Should we switch to lazy loading?\nu: Yes.", "decided T-2: Should we switch to lazy loading?"},
	{"an action is no decision", "u: the page is slow\na: Shall I run the profiler on the page?\nu: yes please", ""},
	{"no proposal", "u: tests pass?\na: Yes, the tests pass.\nu: great", ""},
	{"refused", "u: which id?\na: We'll use UUIDs instead of serials for which id it is.\nu: No, serials are fine.", ""},
	{"not a confirmation", "u: x is slow\na: I suggest a cache for x.\nu: ok, but first tell me how slow it is", ""},
	{"answered later", "u: Which port does the metrics server use?\na: I don't know yet.\nu: go on\na: The metrics server uses port 9090.", ""},
	{"not answered", "u: Which port does the metrics server use?\na: I don't know yet.\nu: go on\na: The login page is done.", "open T-1: Which port does the metrics server use?"},
	{"short answer", "u: Which port does the metrics server use?\na: 9090.", ""},
	{"the person answers", "u: set up the database\na: Which region should the database run in?\nu: eu-west-1", ""},
	{"the person does not", "u: set up the database\na: Which region should the database run in?\nu: Let me check with the admins first, please go on with the login page for now", "open T-1: Which region should the database run in?"},
	{"requests and courtesies", "u: Hi, how are you? Could you fix the parser? That's fine, right? Can you explain why?\na: Done. Does that make sense? Anything else?", ""},
	{"rhetorical", "u: go\na: Why does this happen? The pool is never closed. Each request opens a new one. That is the leak.", ""},
	{"in code", "u: run this\n```js\nlet a = b ? c : d // really needed here?\n```\na: ok", ""},
	{"an answer with its alternative", "u: The upload hangs.\na: We could either abort after 30 seconds or retry in the background. Which do you prefer?\n" +
		"u: Let's abort the upload instead of retrying in the background; the app shows it.\na: Done.",
		"decided T-2: Let's abort the upload instead of retrying in the background; the app shows it. [not retrying in the background]"},
	{"by number", "u: How do we page the list?\na: There are two options:\n1. Offsets, simple but slow on page 900.\n2. Cursors, stable while rows come in.\nWhich one?\nu: Ok let's do option 2\na: Done.",
		"decided T-2: Ok let's do option 2: Cursors, stable while rows come in [not Offsets, simple but slow on page 900]"},
	{"by letter", "u: How do we page the list?\na: We have options.\nOption A: offsets\nOption B: cursors\nu: B please\na: Done.", "decided T-2: B please: cursors [not offsets]"},
	{"by name", "u: Where do uploads go?\na: Should we keep them on disk or in the bucket?\nu: The bucket.\na: Done.",
		"decided T-2: The bucket (Should we keep them on disk or in the bucket?) [not keep them on disk]"},
	{"not by chance", "u: Where do uploads go?\na: Should we keep them on disk or in the bucket?\nu: Not in the bucket while the contract with the provider is open\na: OK.", "open T-1: Where do uploads go?"},
	{"undecided stays open", "u: How do we sign the links? I haven't decided between HMAC and JWT.\na: Both work. HMAC is smaller.\nu: Run the linter again\na: Clean.",
		"open T-1: How do we sign the links?"},
	{"undecided, then decided", "u: How do we sign the links? I haven't decided between HMAC and JWT.\na: Both work. HMAC is smaller.\nu: Run the linter again\na: Clean.\nu: Let's go with HMAC.\na: ok",
		"decided T-3: Let's go with HMAC."},
	{"undecided without a question", "u: We still need to decide whether guests may vote.\na: Understood.\nu: Fix the typo in the footer\na: Fixed.", "open T-1: We still need to decide whether guests may vote."},
	{"an unrelated change of mind", "u: Let's return an empty list rather than null.\na: Done.\nu: Actually, use exponential pauses in the poller, and log the first miss.\na: Done.",
		"decided T-1: Let's return an empty list rather than null. [not null]\ndecided T-2: Actually, use exponential pauses in the poller, and log the first miss."},
	{"a change of mind about a proposal", "u: Let's go with Redis.\na: ok\nu: the footer is ugly\na: I suggest using a sticky footer.\nu: Actually, use a plain footer.\na: ok",
		"decided T-1: Let's go with Redis.\ndecided T-3: Actually, use a plain footer."},
	{"an order is no answer", "u: set up the database\na: Which region should the database run in?\nu: Run the benchmarks again\na: Done.", "open T-1: Which region should the database run in?"},
	{"names what was spoken of", "u: What algorithm do you suggest?\na: A ring buffer is the usual choice, a linked list is slower.\nu: ok ring buffer then, but no new package\na: Done.",
		"decided T-2: ok ring buffer then, but no new package"},
	{"please", "u: the list flickers\na: Use a skeleton while it loads. Alternatively keep the old rows.\nu: Skeleton please\na: Done.", "decided T-2: Skeleton please"},
	{"an order is no name", "u: the list flickers\na: Use a skeleton while the list loads.\nu: run the list tests please\na: Done.", ""},
	{"taken back", "u: I'd rather have the formatter in a hook than in lib.\na: Moved.\nu: wait, revert that, it breaks the tables\na: Reverted.", ""},
	{"found out later", "u: Do gold customers get a longer trial? I have to ask sales about that\na: I left a map keyed by plan.\nu: Fix the footer\na: Fixed.", "open T-1: Do gold customers get a longer trial?"},
	{"found out", "u: Do gold customers get a longer trial? I have to ask sales about that\na: I left a map keyed by plan.\nu: Fix the footer\na: Fixed.\nu: Sales says gold has 60 days\na: ok", ""},
	{"advice", "u: Two ways to bundle. Which one is better?\na: For 14 languages loading at runtime keeps it small.\nu: Fix the footer\na: Fixed.", ""},
	{"with its reason", "u: Still slow. Options?\na: Three options:\n1. A view that is refreshed.\n2. A cache by date.\n3. A table of totals.\nI would pick 1.\nu: Option 3, ops doesn't want views\na: OK.",
		"decided T-2: Option 3, ops doesn't want views: A table of totals [not A view that is refreshed, A cache by date]"},
	{"of the person's own question", "u: I want a tiny parser for the flags. clap or argh?\na: clap: it has completions.\nu: clap\na: Added.", "decided T-2: clap [not argh]"},
	{"ok and a name", "u: config file format? toml?\na: TOML fits Rust.\nu: ok toml\na: Done.", "decided T-2: ok toml"},
	{"ok and a report", "u: plural rules?\na: Add files_few and files_many, then it is fixed when added.\nu: ok added\na: Good.", ""},
	{"an offer is no decision", "u: Why is the first load slow?\na: The table is empty until the first run. I can trigger the task in the post-deploy hook.\nu: yes please, do that in deploy/post.sh\na: Added.", ""},
	{"answered in other words", "u: And one thing, what if two runs overlap?\na: They would both delete and insert.\nu: fix the footer\na: Fixed.", ""},
	{"quoted", "u: The dialog says \"Are you sure to delete all files?\" and hangs.\na: ok", ""},
}

func TestFolds(t *testing.T) {
	for _, c := range folds {
		got := show(Fold(notesOf(c.script), Dense, 0, nil))
		got = strings.TrimSpace(got[:strings.Index(got, "focus:")])
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}
