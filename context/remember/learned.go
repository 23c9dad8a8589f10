package remember

import "github.com/contexture-dev/contexture/context/budget"

// Learned gives what the layers' ideals are to be multiplied by, as the use of earlier bundles has taught.
func (p *Past) Learned() (out [budget.NumLayers]float64, err error) {
	factors, err := p.view.LayerFactors()
	for name, f := range factors {
		if layer, ok := budget.ParseLayer(name); ok {
			out[layer] = f
		}
	}
	return out, err
}
