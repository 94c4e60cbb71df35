package vertex

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// Parametric is a vertex with parameters. They are trained like those of a layer, but their regularisation is not part
// of the score, as in Deeplearning4j.
type Parametric interface {
	Vertex
	// Complete fills in settings that are left open from the network's defaults, and sizes from the types of the inputs
	// if they are known. It checks the rest. It is idempotent.
	Complete(d layer.Defaults, in []inputtype.Type) (Vertex, error)
	// Settings returns the name and the gradient normalisation.
	Settings() layer.Settings
	// Params lists the parameters in the order of the flat vector.
	Params() []layer.Param
}

// SameDiff has the settings of vertices that Deeplearning4j implements with its class SameDiff. Nil and zero fields
// take the network's defaults.
//
// Deeplearning4j doubles the gradients of such vertices and of all below them; here they are the loss's gradients.
type SameDiff struct {
	Updater     updater.Updater `dl4j:"updater"`
	BiasUpdater updater.Updater `dl4j:"biasUpdater"` // nil: Updater
	// Regularization of the weights. Nil means the network's regularization. So does an empty list, except in a file.
	Regularization     []regularization.Regularization `dl4j:"regularization"`
	RegularizationBias []regularization.Regularization `dl4j:"regularizationBias"`

	GradientNormalization          layer.GradientNormalization `dl4j:"gradientNormalization,zeronull"`
	GradientNormalizationThreshold float64                     `dl4j:"gradientNormalizationThreshold"` // 1 by default

	// Name and LayerName are the vertex's name in the graph. They are only written to files.
	Name      string `dl4j:"name,zeronull"`
	LayerName string `dl4j:"layerName,zeronull"`
	// VertexParams holds the names of the inputs and the shapes of the parameters. They are only written to files.
	VertexParams sameDiffParams `dl4j:"vertexParams"`

	Inert dl4j.Inert
}

// sameDiffParams holds the shapes of weights and of biases by name.
type sameDiffParams struct {
	Bias   dl4j.Map[[]int] `dl4j:"biasParams"`
	Inputs []string        `dl4j:"inputs"`
	Weight dl4j.Map[[]int] `dl4j:"weightParams"`
}

// InertFields lists the type of the arrays. It is that of the network, which is checked.
func (SameDiff) InertFields() dl4j.Object { return dl4j.Object{{Name: "dataType", Value: "FLOAT"}} }

// Settings returns name and gradient normalisation.
func (s SameDiff) Settings() layer.Settings { return s.layer("").Settings() }

// layer converts the settings to those of a layer.
func (s SameDiff) layer(weightInit string) layer.SameDiff {
	return layer.SameDiff{Name: s.Name, WeightInit: weightInit, Updater: s.Updater, BiasUpdater: s.BiasUpdater,
		Regularization: s.Regularization, RegularizationBias: s.RegularizationBias,
		GradientNormalization: s.GradientNormalization, GradientNormalizationThreshold: s.GradientNormalizationThreshold}
}

// complete fills in open settings, and returns the weights' initialisation, too.
func (s SameDiff) complete(weightInit string, d layer.Defaults) (SameDiff, string, error) {
	l, err := layer.CompleteSameDiff(s.layer(weightInit), d)
	if err != nil {
		return s, "", err
	}
	s.Updater, s.BiasUpdater = l.Updater, l.BiasUpdater
	s.Regularization, s.RegularizationBias = l.Regularization, l.RegularizationBias
	s.GradientNormalization, s.GradientNormalizationThreshold = l.GradientNormalization, l.GradientNormalizationThreshold
	s.Name, s.LayerName = d.Name, d.Name
	return s, l.WeightInit, nil
}

// with stores the names of the inputs and the shapes of the parameters.
func (s SameDiff) with(ps []layer.Param, inputs ...string) SameDiff {
	s.VertexParams = sameDiffParams{Inputs: inputs}
	for _, p := range ps {
		s.VertexParams.Weight.Set(p.Name, p.Shape)
	}
	return s
}
