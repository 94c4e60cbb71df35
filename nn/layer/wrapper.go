package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
)

// wrapping holds the settings of layers around another layer. The inner layer's settings take precedence.
type wrapping struct {
	// Name is shown in messages and summaries; "layer0" and so on if it is empty. The inner layer has the same name.
	Name string `dl4j:"layerName,zeronull"`
	// Dropout is only kept for files: the inner layer's dropout applies.
	Dropout regularization.Dropout `dl4j:"idropout"`

	Constraints []regularization.Constraint `dl4j:"constraints"`
	// GradientNormalization and its threshold are copied from the inner layer, whose settings apply.
	GradientNormalization          GradientNormalization `dl4j:"gradientNormalization"`
	GradientNormalizationThreshold float64               `dl4j:"gradientNormalizationThreshold"`
}

func (w wrapping) complete(d Defaults) wrapping {
	if w.Name == "" {
		w.Name = d.Name
	}
	return w
}

// normalization copies the gradient normalisation of the inner layer, which is also written for the wrapper.
func (w wrapping) normalization(l Layer, d Defaults) wrapping {
	if s := l.Settings(); !d.FromFile {
		w.GradientNormalization, w.GradientNormalizationThreshold = s.GradientNormalization, s.GradientNormalizationThreshold
	}
	return w
}

// settings returns the inner layer's settings, under the wrapper's name.
func (w wrapping) settings(l Layer) Settings {
	if l == nil {
		return Settings{Name: w.Name}
	}
	s := l.Settings()
	s.Name = w.Name
	return s
}

// completeWithin completes the inner layer.
func completeWithin(class, name string, l Layer, d Defaults, in []inputtype.Type) (Layer, error) {
	if l == nil {
		return nil, fmt.Errorf("%s has no layer within", class)
	}
	d.Name = name
	l, err := Complete(l, d, in)
	if err != nil {
		return nil, fmt.Errorf("the layer within: %w", err)
	}
	if p := l.Settings().Dropout; p != nil {
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("the layer within: %w", err)
		}
	}
	return l, nil
}

func sizesWithin(l Layer) (nIn, nOut int) {
	if s, ok := l.(Sized); ok {
		return s.Sizes()
	}
	return 0, 0
}

func preprocessorWithin(l Layer, in inputtype.Type) Preprocessor {
	if l == nil {
		return nil
	}
	return l.Preprocessor(in)
}
