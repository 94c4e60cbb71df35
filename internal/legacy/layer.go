package legacy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/weights"
)

// layer changes a layer, and its inner layers.
func (u *upgrade) layer(v any, c conf) (any, error) {
	o, err := u.unwrap(v, "a layer", layers)
	if err != nil || o == nil {
		return v, err
	}
	class, _ := o.Get("@class")
	for _, name := range []string{"layer", "underlying", "fwd", "bwd"} {
		if err := each(&o, name, func(v any) (any, error) { return u.layer(v, c) }); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"activationFn", "gateActivationFn", "pzxActivationFn"} {
		if err := each(&o, name, u.activation); err != nil {
			return nil, err
		}
	}
	if err := each(&o, "lossFn", u.loss); err != nil {
		return nil, err
	}
	if err := each(&o, "outputDistribution", u.reconstruction); err != nil {
		return nil, err
	}
	if old, ok := o.Get("pretrain"); ok && old == false {
		take(&o, "pretrain")
		u.seems(Beta3)
	}
	for _, change := range []func(*dl4j.Object, conf) error{u.functions, u.updaters, u.penalties, u.dropouts,
		u.initialisation} {
		if err := change(&o, c); err != nil {
			return nil, err
		}
	}
	if class == layer0+"BatchNormalization" && len(c.variables) > 0 {
		if _, ok := o.Get("useLogStd"); !ok { // before, it was the variance in all of these
			u.seems(Beta3)
			add(&o, "useLogStd", slices.Contains(c.variables, any("log10stdev")))
		}
	}
	if _, ok := take(&o, "preTrainIterations"); ok {
		u.seems(Nine)
	}
	if _, ok := o.Get("rnnDataFormat"); class == layer0+"RnnOutputLayer" && !ok {
		u.seems(Beta7)
		add(&o, "rnnDataFormat", "NCW") // the only format then; without it 1.0.0-M2.1 does not train the network
	}
	if class == layer0+"SubsamplingLayer" {
		u.padded(o)
	}
	if strings.HasPrefix(fmt.Sprint(class), variation) {
		if _, ok := takeString(&o, "lossFunction"); ok { // of pretraining; the distribution implies it
			u.seems(Nine)
		}
	}
	return o, nil
}

// padded notes layers whose outputs may differ from those of the version that wrote the file. The divisor of average
// pooling is missing in the files of 1.0.0-beta4, which had two ways. If a file does not say, it is the size of the
// window, as in 1.0.0-M2.1.
func (u *upgrade) padded(o dl4j.Object) {
	_, says := o.Get("avgPoolIncludePadInDivisor")
	if pooling, _ := o.Get("poolingType"); says || pooling != "AVG" || u.version != Present && u.version != Beta7 {
		return
	}
	mode, _ := o.Get("convolutionMode")
	padding, _ := o.Get("padding")
	text, _ := dl4j.Format(padding)
	if mode == "Same" || strings.ContainsAny(string(text), "123456789") {
		u.seems(Beta7)
		u.notice("average pooling counts the padding, as in 1.0.0-M2.1; 1.0.0-beta4 with MKL-DNN, whose files do not say, " +
			"left it out")
	}
}

func (u *upgrade) activation(v any) (any, error) {
	o, err := u.unwrap(v, "an activation function", activations)
	if err != nil || o == nil {
		return v, err
	}
	return o, nil
}

// loss changes a loss function. Weights used to be a list of numbers.
func (u *upgrade) loss(v any) (any, error) {
	o, err := u.unwrap(v, "a loss function", losses)
	if err != nil || o == nil {
		return v, err
	}
	if v, ok := o.Get("configProperties"); ok && v == false {
		take(&o, "configProperties")
		u.seems(Beta3)
	}
	if v, ok := o.Get("numOutputs"); ok && v == dl4j.Number("-1") {
		take(&o, "numOutputs")
		u.seems(Beta3)
	}
	if w, ok := o.Get("weights"); ok {
		if a, isList := w.([]any); isList {
			u.seems(Beta3)
			set(&o, "weights", dl4j.Object{{Name: "dataType", Value: "FLOAT"},
				{Name: "shape", Value: []any{dl4j.Number("1"), dl4j.Number(fmt.Sprint(len(a)))}}, {Name: "data", Value: a}})
		}
	}
	return o, nil
}

func (u *upgrade) reconstruction(v any) (any, error) {
	o, err := u.unwrap(v, "a reconstruction distribution", reconstruction)
	if err != nil || o == nil {
		return v, err
	}
	if err := each(&o, "activationFn", u.activation); err != nil {
		return nil, err
	}
	if err := each(&o, "lossFunction", u.loss); err != nil {
		return nil, err
	}
	err = each(&o, "reconstructionDistributions", func(v any) (any, error) { return list(v, u.reconstruction) })
	return o, err
}

// functions changes activation and loss functions that are given by name, and drops names that stand beside a
// function.
func (u *upgrade) functions(o *dl4j.Object, _ conf) error {
	if name, ok := takeString(o, "activationFunction"); ok {
		if _, has := o.Get("activationFn"); !has {
			u.seems(Six)
			a, err := activation.ByName(name)
			if err != nil {
				return within("activationFunction", err)
			}
			return addTree(o, "activationFn", &a)
		}
	}
	v, ok := o.Get("lossFunction")
	if name, isName := v.(string); ok && (isName || v == nil) {
		_, has := o.Get("lossFn")
		if class, _ := o.Get("@class"); !has && (class == layer0+"AutoEncoder" ||
			strings.HasPrefix(fmt.Sprint(class), variation)) {
			return nil // this class has a name to this day
		}
		take(o, "lossFunction")
		u.seems(Nine)
		if !has && isName {
			u.seems(Five)
			l, err := loss.ByName(name)
			if err != nil {
				return within("lossFunction", err)
			}
			return addTree(o, "lossFn", &l)
		}
	}
	return nil
}

// penalties makes regularisations from l1 and l2. In that version l2 was a weight decay that the learning rate does not
// scale.
func (u *upgrade) penalties(o *dl4j.Object, c conf) error {
	for _, p := range []struct{ l1, l2, to string }{{"l1", "l2", "regularization"},
		{"l1Bias", "l2Bias", "regularizationBias"}} {
		if _, present := o.Get(p.to); present {
			continue
		}
		l1, has1 := take(o, p.l1)
		l2, has2 := take(o, p.l2)
		if !has1 && !has2 {
			continue
		}
		u.seems(Beta3)
		rs := []regularization.Regularization{}
		if x := float(l1); x > 0 && c.regularization {
			rs = append(rs, regularization.NewL1(x))
		}
		if x := float(l2); x > 0 && c.regularization {
			rs = append(rs, regularization.NewWeightDecay(x, false))
		}
		if err := addTree(o, p.to, rs); err != nil {
			return err
		}
	}
	return nil
}

// dropouts makes an object of a probability, which 0.9 used for weights too, and drops the marks of helpers.
func (u *upgrade) dropouts(o *dl4j.Object, c conf) error {
	if err := each(o, "idropout", func(v any) (any, error) {
		d, ok := object(v)
		if !ok {
			return v, nil
		}
		if _, ok := d.Get("initializedHelper"); ok {
			take(&d, "initializedHelper")
			u.seems(Beta7)
		}
		return d, nil
	}); err != nil {
		return err
	}
	v, ok := take(o, "dropOut")
	if !ok {
		return nil
	}
	u.seems(Nine)
	p := float(v)
	if math.IsNaN(p) || p == 0 {
		return nil
	}
	number := v.(dl4j.Number)
	if _, hasWeights := o.Get("weightInit"); hasWeights && c.dropConnect {
		add(o, "weightNoise", dl4j.Object{{Name: "@class", Value: conf0 + "weightnoise.DropConnect"},
			{Name: "applyToBiases", Value: false},
			{Name: "weightRetainProbSchedule"}, {Name: "weightRetainProb", Value: number}})
		return nil
	}
	add(o, "idropout", dl4j.Object{{Name: "@class", Value: conf0 + "dropout.Dropout"}, {Name: "p", Value: number},
		{Name: "pschedule"}})
	return nil
}

// initialisation makes objects of the names in weightInit and weightInitRecurrent, with their distributions.
func (u *upgrade) initialisation(o *dl4j.Object, _ conf) error {
	if _, sameDiff := o.Get("layerParams"); sameDiff {
		return nil // layers on SameDiff have a name to this day
	}
	for _, of := range []struct{ name, dist, to string }{{"weightInit", "dist", "weightInitFn"},
		{"weightInitRecurrent", "distRecurrent", "weightInitFnRecurrent"}} {
		v, has := o.Get(of.name)
		name, isName := v.(string)
		if !has || !isName && v != nil {
			continue
		}
		take(o, of.name)
		u.seems(Beta3)
		dist, _ := take(o, of.dist)
		switch {
		case !isName: // that of the input's weights, or the default
			continue
		case name == "DISTRIBUTION":
			d, err := u.distribution(dist)
			if err != nil {
				return within(of.dist, err)
			}
			add(o, of.to, dl4j.Object{{Name: "@class", Value: "org.deeplearning4j.nn.weights.WeightInitDistribution"},
				{Name: "distribution", Value: d}})
			continue
		}
		w, err := weights.ByName(name)
		if err != nil {
			return within(of.name, err)
		}
		if err := addTree(o, of.to, &w); err != nil {
			return err
		}
	}
	return nil
}

// distribution changes a distribution whose class is the name of its only member.
func (u *upgrade) distribution(v any) (any, error) {
	o, ok := object(v)
	if !ok {
		return nil, fmt.Errorf("weights drawn from a distribution without one")
	}
	if len(o) == 1 {
		if inner, ok := object(o[0].Value); ok {
			class, known := map[string]string{"normal": "NormalDistribution", "gaussian": "NormalDistribution",
				"uniform":  "UniformDistribution",
				"binomial": "BinomialDistribution"}[o[0].Name]
			if !known {
				return nil, fmt.Errorf("a distribution of the unknown class %.100q", o[0].Name)
			}
			u.seems(Seven)
			return append(dl4j.Object{{Name: "type", Value: conf0 + "distribution." + class}}, inner...), nil
		}
	}
	return o, nil
}

// addTree adds a value in the form that it has in files.
func addTree(o *dl4j.Object, name string, v any) error {
	tree, err := dl4j.ToTree(v)
	if err != nil {
		return err
	}
	tree, err = parsed(tree)
	add(o, name, tree)
	return err
}

// parsed returns a tree in the form in which it is read, without Go's numbers.
func parsed(tree any) (any, error) {
	text, err := dl4j.Format(tree)
	if err != nil {
		return nil, err
	}
	return dl4j.Parse(string(text))
}
