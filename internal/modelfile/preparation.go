package modelfile

import (
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

// PreparationOf reads the pipeline in a network's model file, with its labels; it returns nil if there is none.
func PreparationOf(net *nn.Network) (*source.Preparation, error) {
	steps, labels := net.Pipeline()
	if steps == nil {
		return nil, nil
	}
	p, err := source.DecodePreparation(steps, labels)
	if err != nil {
		return nil, fmt.Errorf("the model's pipeline: %w", err)
	}
	return p, nil
}

// SetPreparation stores a pipeline in the network's model file; nil removes it.
func SetPreparation(net *nn.Network, p *source.Preparation) error {
	if p == nil {
		return net.SetPipeline(nil, nil)
	}
	steps, labels, err := p.Encode()
	if err != nil {
		return err
	}
	return net.SetPipeline(steps, labels)
}
