package server

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/contexture-dev/contexture/indexer"
	"github.com/contexture-dev/contexture/server/command"
	"github.com/contexture-dev/contexture/server/engine"
	"github.com/contexture-dev/contexture/server/exporter"
	"github.com/contexture-dev/contexture/server/session"
)

// counters measures all sessions since the process started. Safe for concurrent use.
type counters struct {
	mu        sync.Mutex // guards all below
	stages    map[string]*stageCounters
	retrieval command.RetrievalMetrics
	injection command.InjectionMetrics
	stable    int64 // tokens of stable prefixes
	reused    int64 // tokens equal to the previous bundle
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

// stagesLocked counts the stages of one answer. The caller must hold mu.
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

// countOf returns the count after a stage.
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
		m.foundLocked(b.Degraded, kept+filtered, kept, int64(len(b.Items))-1) // the prompt is not a hit
	}
}

// search counts a search.
func (m *counters) search(r *command.SearchResult, candidates int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stagesLocked(r.Stages)
	m.foundLocked(r.Degraded, int64(candidates), int64(candidates), int64(len(r.Hits)))
}

func (m *counters) foundLocked(degraded []command.Degradation, found, filtered, hits int64) {
	m.retrieval.Requests++
	if slices.ContainsFunc(degraded, func(d command.Degradation) bool { return d.Stage == "vector" }) {
		m.retrieval.Fallbacks++
	}
	m.retrieval.Candidates += found
	m.retrieval.Filtered += filtered
	if hits > 0 {
		m.retrieval.Hits++
	}
}

// result returns the figures that do not depend on a session.
func (m *counters) result() *command.MetricsResult {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := &command.MetricsResult{Stages: map[string]command.StageMetrics{}, Retrieval: m.retrieval, Injection: m.injection}
	for name, c := range m.stages {
		out.Stages[name] = command.StageMetrics{
			Count: c.took.count, P50MS: command.Milliseconds(c.took.percentile(.50)), P95MS: command.Milliseconds(c.took.percentile(.95)),
			P99MS: command.Milliseconds(c.took.percentile(.99)), MaxMS: command.Milliseconds(c.took.longest), Outcomes: cloneCounts(c.outcomes),
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

// durations returns those of the stages.
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

// Metrics implements command.Commands. The parts for index and memory are sums over the roots, or
// those of the named root.
func (c indexCommands) Metrics(ctx context.Context, args *command.Empty) (*command.MetricsResult, error) {
	roots := c.Roots
	if args.Workspace != "" {
		r, err := c.Root(args.Workspace)
		if err != nil {
			return nil, err
		}
		roots = []session.RootView{*r}
	}
	v := c.server
	out := v.metrics.result()
	for _, r := range roots {
		if st, ok := r.Opening.IndexStatus(); ok {
			addIndex(&out.Index, st, v.Now())
		}
	}
	if out.Index.Files > 0 {
		out.Index.StaleShare /= float64(out.Index.Files)
	}
	if err := c.measureMemory(ctx, roots, &out.Memory); err != nil {
		return nil, engine.MemoryError(err)
	}
	v.measureProcess(&out.Process)
	return out, nil
}

func (v *Server) measureProcess(p *command.ProcessMetrics) {
	p.PID, p.UptimeMS, p.Sessions, p.Goroutines = os.Getpid(), command.Milliseconds(v.Now().Sub(v.started)), int(v.sessions.Load()), runtime.NumGoroutine()
	p.RSSBytes, p.HeapBytes = residentBytes(), heapBytes()
}

// addIndex adds an index's figures; StaleShare is a count until all are added.
func addIndex(m *command.IndexMetrics, st indexer.Status, now time.Time) {
	m.Files += int64(st.Files)
	m.Chunks += int64(st.Chunks)
	m.QueueDepth += int64(st.Queue)
	m.Parsed += int64(st.Parsed)
	m.Embedded += int64(st.Embedded)
	m.EmbeddingCalls += int64(st.ModelCalls)
	m.EmbeddingsReused += int64(st.ModelReused)
	m.Bytes += st.DiskBytes
	m.StaleShare += float64(st.Stale)
	if !st.IndexedAt.IsZero() {
		m.AgeMS = max(m.AgeMS, command.Milliseconds(now.Sub(st.IndexedAt)))
	}
}

// heapBytes returns the size of the live heap without stopping the program.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// residentBytes returns the resident memory on Linux, 0 elsewhere.
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

// MetricsAddress returns the address at which this process listens for a value of the setting
// metrics.listen; "" when it does not listen.
func (v *Server) MetricsAddress(setting string) string { return v.exporter.Address(setting) }

// figures returns those of the whole process.
func (v *Server) figures() exporter.Figures {
	f := exporter.Figures{MetricsResult: *v.metrics.result(), Durations: v.metrics.durations()}
	for _, st := range v.Indexes.Statuses() {
		addIndex(&f.Index, st, v.Now())
	}
	if f.Index.Files > 0 {
		f.Index.StaleShare /= float64(f.Index.Files)
	}
	v.measureProcess(&f.Process)
	return f
}

// histogram counts durations in buckets that grow by a quarter, from ten microseconds to about two
// minutes. The error of a percentile is at most an eighth.
type histogram struct {
	buckets [histogramBuckets]int64
	count   int64
	sum     time.Duration
	longest time.Duration
}

const (
	histogramBuckets = 74
	histogramFirst   = 10 * time.Microsecond
	histogramGrowth  = 1.25
)

func (h *histogram) add(d time.Duration) {
	i := 0
	if d > histogramFirst {
		i = int(math.Ceil(math.Log(float64(d)/float64(histogramFirst)) / math.Log(histogramGrowth)))
	}
	h.buckets[min(i, histogramBuckets-1)]++
	h.count++
	h.sum += d
	h.longest = max(h.longest, d)
}

// percentile returns the duration below which the share p of all falls: the middle of its bucket,
// at most the longest duration.
func (h *histogram) percentile(p float64) time.Duration {
	if h.count == 0 {
		return 0
	}
	want := int64(math.Ceil(p * float64(h.count)))
	seen := int64(0)
	for i, n := range h.buckets {
		if seen += n; seen >= want && n > 0 {
			middle := float64(histogramFirst) * math.Pow(histogramGrowth, float64(i)-.5)
			return min(time.Duration(middle), h.longest)
		}
	}
	return h.longest
}

// upTo returns the counts of durations up to every fourth bucket limit.
func (h *histogram) upTo() map[time.Duration]uint64 {
	const every = 4
	out := map[time.Duration]uint64{}
	seen := int64(0)
	for i, n := range h.buckets[:histogramBuckets-1] { // the last one has no limit
		seen += n
		if i%every == 0 {
			border := float64(histogramFirst) * math.Pow(histogramGrowth, float64(i))
			out[time.Duration(border).Round(time.Microsecond)] = uint64(seen)
		}
	}
	return out
}
