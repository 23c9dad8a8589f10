package remember

import "github.com/contexture-dev/contexture/context/item"

// Learned returns what the layers' ideals are to be multiplied by, as the use of earlier bundles
// has taught.
func (p *Past) Learned() (out [item.NumLayers]float64, err error) {
	factors, err := p.view.LayerFactors()
	for name, f := range factors {
		if layer, ok := item.ParseLayer(name); ok {
			out[layer] = f
		}
	}
	return out, err
}
