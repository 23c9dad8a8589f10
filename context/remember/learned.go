package remember

import "github.com/contexture-dev/contexture/context/item"

// Learned returns the factors, learned from the use of earlier bundles, by which the layers' ideals
// are multiplied.
func (p *Past) Learned() (out [item.NumLayers]float64, err error) {
	factors, err := p.view.LayerFactors()
	for name, f := range factors {
		if layer, ok := item.ParseLayer(name); ok {
			out[layer] = f
		}
	}
	return out, err
}
