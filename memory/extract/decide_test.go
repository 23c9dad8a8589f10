package extract

import (
	"slices"
	"strings"
	"testing"
)

// Each line: sentence | chosen | rejected, …| subject. "-" where nothing is named.
const decisions = `
Let's use Postgres instead of MySQL for the job queue. | Postgres | MySQL | job queue
Let's go with option B. | option B | - | -
Ok, let's stick with REST rather than GraphQL. | REST | GraphQL | -
Then let's switch to pnpm. | pnpm | - | -
Let's not use an ORM. | - | ORM | -
Let's drop Redis in favor of the in-process cache. | in-process cache | Redis | -
Let's store sessions in Redis rather than in memory. | sessions in Redis | in memory | -
We decided to keep the monorepo. | monorepo | - | -
We've agreed on weekly releases. | weekly releases | - | -
After the review we decided against Kafka. | - | Kafka | -
The team decided to use gRPC for internal calls. | gRPC | - | internal calls
We have settled on Tailwind for styling. | Tailwind | - | styling
We opted for server-side rendering over a single-page app. | server-side rendering | single-page app | -
I chose SQLite over BoltDB because it has a query planner. | SQLite | BoltDB | -
I picked zerolog over zap since the allocations are lower. | zerolog | zap | -
We chose the second layout because it fits phones. | second layout | - | -
Decision: retries are capped at 5 with jitter. | retries are capped at 5 with jitter | - | -
**Decision:** use UUIDv7 for primary keys. | UUIDv7 | - | primary keys
Final: port 8443, not 8080. | port 8443 | 8080 | -
Final decision: we keep the old endpoint until March. | old endpoint | - | -
The decision is to ship without dark mode. | ship without dark mode | - | -
Agreed: the parser stays hand-written. | parser stays hand-written | - | -
I'm going with Fly.io. | Fly.io | - | -
We're going with the blue theme, not the green one. | blue theme | green one | -
Going with Vitest instead of Jest. | Vitest | Jest | -
We're switching to ruff from flake8. | ruff | flake8 | -
We went with event sourcing for the ledger. | event sourcing | - | ledger
We'll use feature flags for the rollout. | feature flags | - | rollout
We'll go with a single table. | single table | - | -
We will keep the public API as it is. | public API | - | -
We won't use Docker Compose in CI. | - | Docker Compose in CI | -
We're not going to use websockets. | - | websockets | -
We'll store the blobs in S3 instead of the database. | blobs in S3 | database | -
Postgres it is. | Postgres | - | -
Ok, cursor pagination it is then. | cursor pagination | - | -
Actually, use Valkey instead. | Valkey | - | -
Use pnpm instead of npm. | pnpm | npm | -
No, keep the tabs, not spaces. | tabs | spaces | -
On second thought, go with Ansible. | Ansible | - | -
Change of plans: use port 9090 for metrics. | port 9090 | - | metrics
Scratch that, let's use the Rust version. | Rust version | - | -
Please use structlog rather than the logging module. | structlog | logging module | -
Let's replace moment with date-fns. | date-fns | moment | -
Let's move from Jenkins to GitHub Actions. | GitHub Actions | Jenkins | -
I’m going with “nanoid” over uuid. | nanoid | uuid | -
- Let's use ` + "`slog`" + ` instead of ` + "`logrus`" + `. | slog | logrus | -
`

func TestDecide(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(decisions)) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		c, ok := Decide(f[0])
		if !ok {
			t.Errorf("%q is no decision", f[0])
			continue
		}
		var rejected []string
		if f[2] != "-" {
			rejected = strings.Split(f[2], ", ")
		}
		want := func(s string) string { return strings.TrimPrefix(s, "-") }
		if c.Chosen != want(f[1]) || !slices.Equal(c.Rejected, rejected) || c.Subject != want(f[3]) {
			t.Errorf("%q: chosen %q, rejected %q, for %q", f[0], c.Chosen, c.Rejected, c.Subject)
		}
	}
}

const noDecisions = `
Should we use Postgres instead of MySQL?
We could use Redis for that.
Maybe we should go with Kafka.
I'm not sure whether we decided to use gRPC.
If we decide to use Kafka, the ops cost doubles.
We haven't decided on a database yet.
We should use a mutex here.
Let's see what the tests say.
Let's look at the failing test first.
Let's keep going.
Let's keep it simple.
Let's pick this up tomorrow.
Let's start with the parser.
Let's go for a walk.
I will see if it works.
We'll see.
We'll need to update the docs.
We'll have a look at it tomorrow.
How's it going with the migration?
I'm going with my wife to the concert.
I went with them to the store.
I agreed with him about the tone.
You decided to ignore the warning.
Could you use the logger in handler.go?
Use the logger in handler.go.
Use a map here.
Keep in mind that the cache is shared.
Please keep the tests green.
The final value is 42.
The answer is in the second paragraph.
The compiler decided to inline the call.
I never decided to drop it.
I don't think we'll use it.
What it is is a race.
That's how it is.
I think it is.
The user picked up the phone.
Go over the list again.
Instead of a loop there is a recursion here.
The agreed format is JSON.
We use tabs.
It would be better to use a pool instead of a lock.
You can use either one instead.
Skip to line 40.
Make sure the decision is logged.
Once we've decided on the schema, I'll write the migration.
When we switch to v2, this breaks.
I wonder if we're going with the right approach.
Running it over SSH is slow.
My friend decided against it.
Don't use it for production.
The decision is up to you.
Decision pending.
We might go with the cheaper plan.
I'd go with Postgres.
I'm going to use the search tool to find it.
I'll use grep to look for callers.
We're moving to Lisbon in May.
Switching tabs is slow.
Let's go back to the failing test.
`

func TestNoDecision(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(noDecisions)) {
		if c, ok := Decide(strings.TrimSpace(line)); ok {
			t.Errorf("%q: %+v", strings.TrimSpace(line), c)
		}
	}
}

// What the person says; "!" where it decides only from a person.
const wishes = `
Let's return ErrExpired instead of refreshing silently; the client handles it. | return ErrExpired | refreshing silently
OK, we'll keep the retry loop. | retry loop | -
!I'd rather store it in a file than in the keychain. | store it in a file | in the keychain
We will not use Redis. | - | Redis
Decision: the cache lives in memory. | cache lives in memory | -
We settled on gRPC over REST because of streaming. | gRPC | REST
Ok let's do option 2 | option 2 | -
Let's go with the keychain. | keychain | -
Let's take the second approach. | second approach | -
!Do option B. | option B | -
!I'd prefer a ring buffer over a channel. | ring buffer | channel
!I prefer tabs to spaces. | tabs | spaces
!I want to use pnpm instead of npm here. | pnpm | npm
!I would rather not use generics. | - | generics
!I'd rather use a semaphore. | semaphore | -
We'll raise a domain error rather than return None. | raise a domain error | return None
!Return a typed error instead of panicking. | Return a typed error | panicking
Let's make the default 60 per minute with a burst of 20. | default 60 per minute | -
We'll live with per-node limits. | per-node limits | -
!Actually the burst should be 30, the app sends 25 requests at start | 30 | -
!Use dirs instead of the home crate please, it is deprecated | dirs | home crate
!Totals should be a selector, not state. | selector | state
Let's not put secrets in the configmap any more. | - | secrets in the configmap any more
!No Redis. | - | Redis
We'll use Intl.DateTimeFormat, no library | Intl.DateTimeFormat | library
!Actually, sort by date rather than by name. | sort by date | by name
`

func TestDecideWishes(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(wishes)) {
		f := strings.Split(strings.TrimSpace(line), " | ")
		s, order := strings.CutPrefix(f[0], "!")
		c, ok := Decide(s)
		var rejected []string
		if f[2] != "-" {
			rejected = strings.Split(f[2], ", ")
		}
		if !ok || c.Chosen != strings.TrimPrefix(f[1], "-") || !slices.Equal(c.Rejected, rejected) || c.Order != order {
			t.Errorf("%q: %t, chosen %q, rejected %q, order %t", s, ok, c.Chosen, c.Rejected, c.Order)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(`
Let's do the tests next.
Let's do it tomorrow.
Let's talk about the parser instead of the lexer.
I'd rather see the tests first.
I'd prefer if you asked me before.
I'd rather you did not touch that.
Do the second part as well.
I want to see the log.
I want it to be fast.
Take the first line of the file and parse it.
I prefer to read it myself.
Would you rather use Redis than memcached?
Show me the diff.
Actually that should be fine.
No problem.
No idea.
Let's write the tests first.
The tests run in Docker instead of on the host.
`)) {
		if c, ok := Decide(strings.TrimSpace(line)); ok {
			t.Errorf("%q: %+v", strings.TrimSpace(line), c)
		}
	}
}
