package usage

import (
	"math"
	"testing"
	"time"

	"github.com/contexture-dev/contexture/memory/store/storetest"
)

// TestLayersLearn checks that factors move by a hundredth at a time in the direction of the usage,
// and never beyond 40 %.
func TestLayersLearn(t *testing.T) {
	l := &Layers{}
	before := map[string]float64{"used": 1, "half": 1, "ignored": 1}
	for i := range 300 {
		l.learn(map[string]tally{"used": {500, 500}, "half": {500, 250}, "ignored": {500, 0}, "rare": {1, 1}})
		for name, was := range before {
			now := l.Use[name].Factor
			if math.Abs(now-was) > layersStep+1e-9 || now < .6-1e-9 || now > 1.4+1e-9 {
				t.Fatalf("feedback %d moves %s from %v to %v", i, name, was, now)
			}
			before[name] = now
		}
		if i < layersFirst-1 && len(l.Factors()) > 0 {
			t.Fatalf("%v after %d feedbacks", l.Factors(), i+1)
		}
	}
	if f := l.Factors(); f["used"] != 1.4 || f["ignored"] != .6 || f["half"] != 0 || f["rare"] != 0 {
		t.Errorf("in the end %v", f)
	}
	for range 300 {
		l.learn(map[string]tally{"used": {500, 0}, "half": {500, 250}, "ignored": {500, 500}})
	}
	if f := l.Factors(); f["used"] != .6 || f["ignored"] != 1.4 {
		t.Errorf("after people changed their ways %v", f)
	}
}

// TestLayersWithoutUse checks that factors stay if nothing is ever used.
func TestLayersWithoutUse(t *testing.T) {
	l := &Layers{}
	for range 100 {
		l.learn(map[string]tally{"a": {5000, 0}, "b": {500, 0}})
	}
	if f := l.Factors(); len(f) > 0 {
		t.Errorf("%v", f)
	}
}

func TestLayersOfFeedback(t *testing.T) {
	s, now := storetest.Open(t), time.Date(2026, 10, 5, 12, 0, 0, 0, time.UTC)
	items := []ShownItem{lesson, chunk}
	items[0].Layer, items[0].Tokens = "L5_jit", 300
	items[1].Layer, items[1].Tokens = "L3_entity", 700
	for range 20 {
		remember(t, s, "b", items...)
		giveFeedback(t, s, "b", usesLesson, now)
		giveFeedback(t, s, "b", usesLesson, now) // repeated feedback counts once
	}
	l, err := LayersOf(s.View(ws))
	if err != nil || l.Feedbacks != 1 {
		t.Errorf("of one bundle: %+v, %v", l, err)
	}
	for i := range 60 {
		id := string(rune('c' + i))
		remember(t, s, id, items...)
		giveFeedback(t, s, id, usesLesson, now)
	}
	l, err = LayersOf(s.View(ws))
	if f := l.Factors(); err != nil || f["L5_jit"] <= 1.2 || f["L3_entity"] >= .8 {
		t.Errorf("what is used %v, %v", f, err)
	}
}
