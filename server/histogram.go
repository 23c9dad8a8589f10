package server

import (
	"math"
	"time"
)

// histogram counts durations in buckets whose borders grow by a quarter, from ten microseconds to about two minutes.
// A percentile is off by an eighth at most.
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

// percentile gives the duration below which the share p of all lies: the middle of its bucket, at most the longest.
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

// upTo counts those that took at most so long, for every fourth border of the buckets.
func (h *histogram) upTo() map[time.Duration]uint64 {
	const every = 4
	out := map[time.Duration]uint64{}
	seen := int64(0)
	for i, n := range h.buckets[:histogramBuckets-1] { // the last one has no border
		seen += n
		if i%every == 0 {
			border := float64(histogramFirst) * math.Pow(histogramGrowth, float64(i))
			out[time.Duration(border).Round(time.Microsecond)] = uint64(seen)
		}
	}
	return out
}
