package exporter

import (
	"time"

	"github.com/contexture-dev/contexture/server/command"
	"github.com/prometheus/client_golang/prometheus"
)

// Figures are the exported metrics. Those of the contract are equal to contexture.metrics, over all
// sessions and open indexes of the process; memory's are not exported.
type Figures struct {
	command.MetricsResult
	// Durations are the durations of the stages, by name.
	Durations map[string]Durations
}

// Durations are a histogram of durations.
type Durations struct {
	Count uint64
	Sum   time.Duration
	// UpTo counts the durations up to each limit.
	UpTo map[time.Duration]uint64
}

// namespace is the prefix of all metric names.
const namespace = "contexture"

// figure returns the description of a metric.
func figure(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// The stages of answers.
var (
	stageDuration = figure("stage_duration_seconds", "Time that the stages of bundles and searches took.", "stage")
	stageOutcomes = figure("stage_outcomes_total", "How the stages of bundles and searches ended.", "stage", "outcome")
	layerTokens   = figure("injection_layer_tokens_total", "Tokens in bundles by layer.", "layer")
	dropped       = figure("injection_dropped_total", "Candidates that bundles left out, by reason.", "reason")
)

// single are the metrics without labels.
var single = []struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(f *Figures) float64
}{
	{figure("retrieval_requests_total", "Requests that retrieved."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Retrieval.Requests) }},
	{figure("retrieval_candidates_total", "Candidates that were found."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Retrieval.Candidates) }},
	{figure("retrieval_filtered_total", "Candidates that the filter kept."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Retrieval.Filtered) }},
	{figure("retrieval_hits_total", "Requests that found something."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Retrieval.Hits) }},
	{figure("retrieval_fallbacks_total", "Requests answered without the vectors that were wanted."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Retrieval.Fallbacks) }},
	{figure("injection_bundles_total", "Bundles that were built."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Injection.Bundles) }},
	{figure("injection_items_total", "Items in bundles."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Injection.Items) }},
	{figure("injection_tokens_total", "Tokens in bundles."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Injection.Tokens) }},
	{figure("injection_use_ratio", "Share of the items with feedback that were used."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Injection.UseRate }},
	{figure("injection_stable_prefix_ratio", "Share of tokens in stable prefixes."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Injection.StablePrefixShare }},
	{figure("injection_reused_prefix_ratio", "Share of tokens that equal the previous bundle's beginning."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Injection.ReusedPrefixShare }},
	{figure("index_files", "Files that are indexed."), prometheus.GaugeValue, func(f *Figures) float64 { return float64(f.Index.Files) }},
	{figure("index_chunks", "Chunks that they were cut into."), prometheus.GaugeValue, func(f *Figures) float64 { return float64(f.Index.Chunks) }},
	{figure("index_queue_depth", "Files that wait to be indexed."), prometheus.GaugeValue, func(f *Figures) float64 { return float64(f.Index.QueueDepth) }},
	{figure("index_age_seconds", "Time since the oldest open index was brought up to date; 0 when never."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Index.AgeMS / 1000 }},
	{figure("index_stale_ratio", "Share of the indexed files that are known to have changed since."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Index.StaleShare }},
	{figure("index_disk_bytes", "Size of the open indexes on disk."), prometheus.GaugeValue, func(f *Figures) float64 { return float64(f.Index.Bytes) }},
	{figure("index_parsed_total", "Files that were cut into chunks."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Index.Parsed) }},
	{figure("index_embedded_total", "Chunks that got a new vector."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Index.Embedded) }},
	{figure("sessions", "Sessions that are connected."), prometheus.GaugeValue, func(f *Figures) float64 { return float64(f.Process.Sessions) }},
	{figure("requests_total", "Commands that were answered."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Process.Requests) }},
	{figure("request_errors_total", "Commands that were answered with an error."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Process.Errors) }},
	{figure("requests_cancelled_total", "Commands that were cancelled."), prometheus.CounterValue, func(f *Figures) float64 { return float64(f.Process.Cancelled) }},
	{figure("uptime_seconds", "Time since the process began."), prometheus.GaugeValue, func(f *Figures) float64 { return f.Process.UptimeMS / 1000 }},
}

// figures is a collector of the figures that a function returns.
type figures func() Figures

// Describe implements prometheus.Collector.
func (figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{stageDuration, stageOutcomes, layerTokens, dropped} {
		to <- d
	}
	for _, s := range single {
		to <- s.desc
	}
}

// Collect implements prometheus.Collector.
func (gather figures) Collect(to chan<- prometheus.Metric) {
	f := gather()
	for _, s := range single {
		to <- prometheus.MustNewConstMetric(s.desc, s.kind, s.of(&f))
	}
	for name, d := range f.Durations {
		buckets := make(map[float64]uint64, len(d.UpTo))
		for border, n := range d.UpTo {
			buckets[border.Seconds()] = n
		}
		to <- prometheus.MustNewConstHistogram(stageDuration, d.Count, d.Sum.Seconds(), buckets, name)
	}
	for name, stage := range f.Stages {
		for outcome, n := range stage.Outcomes {
			to <- prometheus.MustNewConstMetric(stageOutcomes, prometheus.CounterValue, float64(n), name, outcome)
		}
	}
	for layer, n := range f.Injection.TokensByLayer {
		to <- prometheus.MustNewConstMetric(layerTokens, prometheus.CounterValue, float64(n), layer)
	}
	for reason, n := range f.Injection.Dropped {
		to <- prometheus.MustNewConstMetric(dropped, prometheus.CounterValue, float64(n), reason)
	}
}
