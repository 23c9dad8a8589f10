package arc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contexture-dev/contexture/memory/dialogue"
)

// script makes turns from lines "u: …" and "a: …"; a line without either goes on with the message before.
func script(text string) []dialogue.Turn {
	var turns []dialogue.Turn
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, "\n")
		var m dialogue.Message
		switch {
		case strings.HasPrefix(line, "u: "):
			m = dialogue.Message{Role: dialogue.User, Content: line[3:]}
		case strings.HasPrefix(line, "a: "):
			m = dialogue.Message{Role: dialogue.Assistant, Content: line[3:]}
		default:
			last := &turns[len(turns)-1]
			last.Messages[len(last.Messages)-1].Content += "\n" + line
			continue
		}
		if m.Role == dialogue.User || len(turns) == 0 {
			turns = append(turns, dialogue.Turn{Number: len(turns) + 1})
		}
		last := &turns[len(turns)-1]
		last.Messages = append(last.Messages, m)
	}
	return turns
}

func notesOf(text string) []Notes {
	var list []Notes
	for _, t := range script(text) {
		list = append(list, Note(t))
	}
	return list
}

// show writes an arc as a person reads it, for comparing.
func show(a Arc) string {
	var b strings.Builder
	for _, d := range a.Decisions {
		fmt.Fprintf(&b, "decided T-%d: %s", d.Turn, d.Text)
		if len(d.Rejected) > 0 {
			fmt.Fprintf(&b, " [not %s]", strings.Join(d.Rejected, ", "))
		}
		b.WriteByte('\n')
	}
	for _, q := range a.Open {
		fmt.Fprintf(&b, "open T-%d: %s\n", q.Turn, q.Text)
	}
	fmt.Fprintf(&b, "focus: %s\n", a.Focus)
	return b.String()
}

const queue = `
u: Hi! I want to build a job queue for the image resizer. Which store should we use?
a: Good question. A relational store is enough for your volume. I suggest using Postgres with SKIP LOCKED instead of RabbitMQ. It saves you one more service to run.
u: Sounds good, let's do that. How many workers do we start per node?
a: Start with 4 workers per node and measure; resizing is CPU bound, so more workers than cores gain nothing.
u: ok. What retention do finished jobs get?
a: I'm not sure what your auditors need. Let me check with the compliance notes first.
u: Can you write the migration in db/migrations/004_jobs.sql?
a: Done. I created the jobs table with an index on (state, run_at).
Do you want soft deletes or hard deletes for cancelled jobs?
u: Hmm, the resizer crashes with "signal: killed" on large PNG files. What could cause that?
a: The process runs out of memory: a 20000x20000 PNG takes 1.6 GB when decoded. We'll use libvips instead of the image package, because it streams.
u: Actually, use MySQL instead of Postgres for the job queue, ops already runs it.
a: Understood. MySQL 8 has SKIP LOCKED too. I changed db/migrations/004_jobs.sql and queue/store.go.
u: Now make the worker in queue/worker.go shut down cleanly on SIGTERM.
a: Worker.Run now stops taking jobs when the context ends and waits for the running ones.
`

const queueArc = `
decided T-5: We'll use libvips instead of the image package, because it streams. [not image package]
decided T-6: Actually, use MySQL instead of Postgres for the job queue, ops already runs it. [not Postgres, RabbitMQ]
open T-3: What retention do finished jobs get?
open T-4: Do you want soft deletes or hard deletes for cancelled jobs?
focus: Now make the worker in queue/worker.go shut down cleanly on SIGTERM (Worker.Run, db/migrations/004_jobs.sql, queue/store.go)
`

const styling = `
u: hey, how are you?
a: Doing well, thanks! What would you like to work on?
u: The settings page needs a date picker. Should we write our own or take a library?
a: Writing one is a week of work with time zones and keyboard support. Should we take flatpickr or react-day-picker?
u: react-day-picker
a: OK. I'm adding react-day-picker 8.10 to package.json and wiring it into SettingsPage.tsx.
u: Looks good, right? Could you make the header sticky?
a: Yes, the header is sticky now. Would you like me to add a test for it?
u: Not now. Why does the build print a warning about peer dependencies?
a: Because react-day-picker 8.10 asks for date-fns 2 as a peer dependency and you have date-fns 3. Shall we pin date-fns to 2.30?
u: no, let's upgrade later. We decided to stay on date-fns 3 last sprint.
a: All right, then I leave date-fns alone.
u: What's the plan for translations, and who owns the German texts?
a: The header texts are in locales/en.json.
`

const stylingArc = `
decided T-3: react-day-picker (Should we take flatpickr or react-day-picker?) [not flatpickr]
decided T-6: We decided to stay on date-fns 3 last sprint.
open T-7: What's the plan for translations, and who owns the German texts?
focus: What's the plan for translations, and who owns the German texts? (locales/en.json, package.json, SettingsPage.tsx)
`

const plain = `
u: I finally booked the trip! We're going with my sister's family to the lake in July.
a: That sounds wonderful! How long will you stay at the lake?
u: Two weeks. I'm not sure yet whether we take the car or the train.
a: The train is relaxing, but with kids the car may be easier. Did you decide on the dog?
u: The dog stays with my parents. I chose the train over the car because parking there is awful.
a: Good choice! Don't forget to reserve the seats early.
u: What should I pack for the kids on the train?
a: Snacks, a card game, headphones and a change of clothes. For the kids on the train, small surprises help too.
u: lol you're right, aren't you?
a: Always!
`

const plainArc = `
decided T-3: I chose the train over the car because parking there is awful. [not car]
focus: What should I pack for the kids on the train?
`

func TestConversations(t *testing.T) {
	for name, c := range map[string][2]string{"queue": {queue, queueArc}, "styling": {styling, stylingArc}, "plain": {plain, plainArc}} {
		notes := notesOf(c[0])
		got := show(Fold(notes, Dense, 0, nil))
		if got != strings.TrimLeft(c[1], "\n") {
			t.Errorf("%s:\n%swant:%s", name, got, c[1])
		}
	}
	for _, s := range []Style{Light, Rich, Dense} {
		t.Logf("%s:\n%s", s, Fold(notesOf(queue), s, 0, nil).Text)
	}
}
