package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/contexture-dev/contexture/memory/store"
)

// layersNote is the name under which a workspace stores the use of its layers.
const layersNote = "layers"

// Layers is what was learned from use about the layers of bundles. It holds counts by the layers'
// names.
type Layers struct {
	Feedbacks int                 `json:"feedbacks"`
	Use       map[string]layerUse `json:"use,omitempty"`
}

// layerUse counts tokens of a layer that were shown, and of those, used; both decay. Factor
// multiplies the layer's ideal.
type layerUse struct {
	Shown  float64 `json:"shown"`
	Used   float64 `json:"used"`
	Factor float64 `json:"factor"`
}

// tally is what one bundle showed of a layer, and how much of that was used, in tokens.
type tally struct{ shown, used float64 }

// learn counts one bundle, and moves the factors one step towards their targets: 40 % more for a
// layer with at least twice the average share of use, 40 % less for one without any use.
func (l *Layers) learn(bundle map[string]tally) {
	if len(bundle) == 0 {
		return
	}
	if l.Use == nil {
		l.Use = map[string]layerUse{}
	}
	l.Feedbacks++
	for name := range bundle {
		if _, known := l.Use[name]; !known {
			l.Use[name] = layerUse{Factor: 1}
		}
	}
	shown, used := 0.0, 0.0
	for name, u := range l.Use {
		t := bundle[name]
		u.Shown, u.Used = u.Shown*layersFade+t.shown, u.Used*layersFade+t.used
		l.Use[name] = u
		shown, used = shown+u.Shown, used+u.Used
	}
	if l.Feedbacks < layersFirst || used <= 0 {
		return
	}
	average := used / shown
	for name, u := range l.Use {
		if u.Shown < layersLeast {
			continue
		}
		target := 1 + layersMost*min(max((u.Used/u.Shown-average)/average, -1), 1)
		u.Factor += min(max(target-u.Factor, -layersStep), layersStep)
		l.Use[name] = u
	}
}

// Factors returns the factors of the layers' ideals, rounded to a hundredth, without those of
// layers that nothing was learned about.
func (l *Layers) Factors() map[string]float64 {
	out := map[string]float64{}
	for name, u := range l.Use {
		if f := math.Round(min(max(u.Factor, 1-layersMost), 1+layersMost)*100) / 100; f != 1 {
			out[name] = f
		}
	}
	return out
}

// LayersOf reads what was learned from use about a workspace's layers.
func LayersOf(view store.View) (*Layers, error) {
	l := &Layers{}
	data, found, err := Note(view, layersNote)
	if err != nil || !found {
		return l, err
	}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, fmt.Errorf("read the use of layers: %w", err)
	}
	return l, nil
}

// ForgetLayers removes what was learned from use about layers.
func ForgetLayers(tx store.Tx) { SetNote(tx, layersNote, nil) }

// place is an item's layer in a bundle with the tokens that it took.
type place struct {
	Layer  string `json:"l"`
	Tokens int    `json:"t"`
}

// placesOf returns the places of a bundle's items by their ids; nil when none is known.
func placesOf(items []ShownItem) map[string]place {
	var out map[string]place
	for _, it := range items {
		if it.Layer == "" {
			continue
		}
		if out == nil {
			out = map[string]place{}
		}
		p := out[it.ID]
		out[it.ID] = place{it.Layer, p.Tokens + it.Tokens}
	}
	return out
}

// learnLayers counts a bundle with feedback. weights are the uses of its items, by id.
func learnLayers(tx store.Tx, bundle string, weights map[string]float64) error {
	places, found, err := get[map[string]place](tx.Reader, placesKey(tx.Workspace, bundle))
	if err != nil || !found {
		return err
	}
	tallies := map[string]tally{}
	for id, p := range places {
		t := tallies[p.Layer]
		t.shown += float64(p.Tokens)
		t.used += float64(p.Tokens) * weights[id]
		tallies[p.Layer] = t
	}
	l, err := LayersOf(tx.View)
	if err != nil {
		return err
	}
	l.learn(tallies)
	data, err := json.Marshal(l)
	if err != nil {
		return errors.New("the use of layers is out of range") // finite numbers can always be encoded
	}
	SetNote(tx, layersNote, data)
	return nil
}
