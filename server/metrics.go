package server

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/exporter"
)

// counters is what is measured of all sessions since the process started. Safe for concurrent use.
type counters struct {
	mu        sync.Mutex // guards all below
	stages    map[string]*stageCounters
	retrieval command.RetrievalMetrics
	injection command.InjectionMetrics
	stable    int64 // tokens of stable prefixes
	reused    int64 // tokens that equalled the bundle before
	judged    int64 // items with feedback
	used      int64 // of those, referenced
	requests  int64
	errors    int64
	cancelled int64
}

type stageCounters struct {
	took     histogram
	outcomes map[string]int64
}

func newCounters() *counters {
	return &counters{
		stages:    map[string]*stageCounters{},
		injection: command.InjectionMetrics{TokensByLayer: map[string]int64{}, Dropped: map[string]int64{}},
	}
}

// request counts an answer.
func (m *counters) request(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	var e *command.Error
	switch {
	case errors.As(err, &e) && e.Code == command.CodeRequestCancelled:
		m.cancelled++
	case err != nil:
		m.errors++
	}
}

// feedback counts how the items of a bundle were used.
func (m *counters) feedback(items []command.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.judged += int64(len(items))
	for _, it := range items {
		if it.Referenced {
			m.used++
		}
	}
}

// stagesLocked counts the steps of one answer. mu is held.
func (m *counters) stagesLocked(stages []command.Stage) {
	for _, s := range stages {
		c := m.stages[s.Name]
		if c == nil {
			c = &stageCounters{outcomes: map[string]int64{}}
			m.stages[s.Name] = c
		}
		c.outcomes[s.Outcome]++
		if s.Outcome != "skipped" {
			c.took.add(time.Duration(s.MS * float64(time.Millisecond)))
		}
	}
}

// countOf gives the count after a stage.
func countOf(stages []command.Stage, name string) int64 {
	for _, s := range stages {
		if s.Name == name {
			return int64(s.Count)
		}
	}
	return 0
}

// bundle counts a bundle.
func (m *counters) bundle(b *command.BundleResult) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stagesLocked(b.Stages)
	m.injection.Bundles++
	m.injection.Items += int64(len(b.Items))
	m.injection.Tokens += int64(b.Tokens)
	for _, l := range b.Layers {
		m.injection.TokensByLayer[l.Layer] += int64(l.Used)
	}
	filtered := int64(0)
	for _, d := range b.Dropped {
		m.injection.Dropped[d.Reason]++
		if d.Reason == "threshold" || d.Reason == "filtered" {
			filtered++
		}
	}
	m.stable += int64(b.Cache.StablePrefixTokens)
	m.reused += int64(b.Cache.ReusedPrefixTokens)
	if countOf(b.Stages, "keyword")+countOf(b.Stages, "vector") > 0 {
		kept := countOf(b.Stages, "filter")
		m.foundLocked(kept+filtered, kept, int64(len(b.Items))-1) // the prompt is no hit
	}
}

// search counts a search.
func (m *counters) search(r *command.SearchResult, candidates int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stagesLocked(r.Stages)
	m.foundLocked(int64(candidates), int64(candidates), int64(len(r.Hits)))
}

func (m *counters) foundLocked(found, filtered, hits int64) {
	m.retrieval.Requests++
	m.retrieval.Candidates += found
	m.retrieval.Filtered += filtered
	if hits > 0 {
		m.retrieval.Hits++
	}
}

// result gives the figures that do not depend on a session.
func (m *counters) result() *command.MetricsResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &command.MetricsResult{Stages: map[string]command.StageMetrics{}, Retrieval: m.retrieval, Injection: m.injection}
	for name, c := range m.stages {
		out.Stages[name] = command.StageMetrics{
			Count: c.took.count, P50MS: milliseconds(c.took.percentile(.50)), P95MS: milliseconds(c.took.percentile(.95)),
			P99MS: milliseconds(c.took.percentile(.99)), MaxMS: milliseconds(c.took.longest), Outcomes: cloneCounts(c.outcomes),
		}
	}
	out.Injection.TokensByLayer, out.Injection.Dropped = cloneCounts(m.injection.TokensByLayer), cloneCounts(m.injection.Dropped)
	out.Retrieval.HitRate = ratio(m.retrieval.Hits, m.retrieval.Requests)
	out.Retrieval.FallbackRate = ratio(m.retrieval.Fallbacks, m.retrieval.Requests)
	out.Injection.UseRate = ratio(m.used, m.judged)
	out.Injection.StablePrefixShare = ratio(m.stable, m.injection.Tokens)
	out.Injection.ReusedPrefixShare = ratio(m.reused, m.injection.Tokens)
	out.Process.Requests, out.Process.Errors, out.Process.Cancelled = m.requests, m.errors, m.cancelled
	return out
}

// durations are those of the stages.
func (m *counters) durations() map[string]exporter.Durations {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]exporter.Durations{}
	for name, c := range m.stages {
		out[name] = exporter.Durations{Count: uint64(c.took.count), Sum: c.took.sum, UpTo: c.took.upTo()}
	}
	return out
}

func cloneCounts(m map[string]int64) map[string]int64 {
	out := make(map[string]int64, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Metrics implements command.Commands. The parts of index and memory sum the roots, or are those of the one named.
func (c commands) Metrics(ctx context.Context, args *command.Empty) (*command.MetricsResult, error) {
	roots := c.roots
	if args.Workspace != "" {
		r, err := c.root(args.Workspace)
		if err != nil {
			return nil, err
		}
		roots = []rootView{*r}
	}
	v := c.session.server
	out := v.metrics.result()
	for _, r := range roots {
		r.opening.measure(&out.Index, v.now())
	}
	if out.Index.Files > 0 {
		out.Index.StaleShare /= float64(out.Index.Files)
	}
	if err := c.measureMemory(ctx, roots, &out.Memory); err != nil {
		return nil, memoryError(err)
	}
	v.measureProcess(&out.Process)
	out.Prediction = v.foresight.figures()
	return out, nil
}

func (v *Server) measureProcess(p *command.ProcessMetrics) {
	p.PID, p.UptimeMS, p.Sessions, p.Goroutines = os.Getpid(), milliseconds(v.now().Sub(v.started)), int(v.sessions.Load()), runtime.NumGoroutine()
	p.RSSBytes, p.HeapBytes = residentBytes(), heapBytes()
}

// measure adds an index; StaleShare is a count until all are added.
func (o *opening) measure(m *command.IndexMetrics, now time.Time) {
	if o == nil {
		return
	}
	select {
	case <-o.ready:
	default:
		return
	}
	if o.err != nil {
		return
	}
	addIndex(m, o.index.Status(), now)
}

// addIndex adds an index's figures; StaleShare is a count until all are added.
func addIndex(m *command.IndexMetrics, st indexer.Status, now time.Time) {
	m.Files += int64(st.Files)
	m.Chunks += int64(st.Chunks)
	m.QueueDepth += int64(st.Queue)
	m.Parsed += int64(st.Parsed)
	m.Embedded += int64(st.Embedded)
	m.Bytes += st.DiskBytes
	m.StaleShare += float64(st.Stale)
	if !st.IndexedAt.IsZero() {
		m.AgeMS = max(m.AgeMS, milliseconds(now.Sub(st.IndexedAt)))
	}
}

// heapBytes reads the live heap without stopping the program.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// residentBytes reads Linux's account of the process, 0 elsewhere.
func residentBytes() int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw))
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
