// Package legacy brings configurations that Deeplearning4j 0.7 to 1.0.0-beta7 wrote into the form of 1.0.0-M2.1. It
// changes the tree of the document only: what it does not know stays as it is, and is an error when the tree is read.
//
// What it does is what 1.0.0-M2.1 does with such files, but that a dropout of 0 is none, that learning rates of biases
// and policies of learning rates are kept, and that what can't be kept is said.
package legacy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// The versions that a document can be told to be of.
const (
	Present = ""                     // 1.0.0-M2.1's form
	Beta7   = "1.0.0-beta4 to beta7" // members that M2.1 has no more
	Beta3   = "1.0.0-beta to beta3"  // l1, l2, weightInit
	Alpha   = "1.0.0-alpha"          // classes as the only member of an object
	Nine    = "0.8 to 0.9.1"         // updaters' settings in the layers, beside an object of the updater
	Seven   = "0.7.2 or before"      // no such object
	Six     = "0.7.1 or before"      // activation functions by name
	Five    = "0.5.0 or before"      // losses by name
)

// Document is a configuration in the present form.
type Document struct {
	Root dl4j.Object
	// Version is what version the document seems to be of.
	Version string
	// Notices say what of an old file is not carried over, in sentences without a full stop.
	Notices []string
}

// Summed says that the version worked on sums of the minibatch's gradients and divided afterwards, by which the
// updaters' state in its files is larger than that of means.
func (d Document) Summed() bool { return d.Version != Present && d.Version != Beta7 }

// upgrade is a document on its way.
type upgrade struct {
	version string
	notices []string
}

// Upgrade returns the document in the present form. Its errors are dl4j.FormatErrors that say where the trouble is,
// and name the version.
func Upgrade(root dl4j.Object) (Document, error) {
	u := &upgrade{}
	root = slices.Clone(root)
	err := u.network(&root)
	d := Document{root, u.version, u.notices}
	return d, d.Explain(err)
}

// Explain adds to an error about the document's content what version the document seems to be of, and what can be done.
func (d Document) Explain(err error) error {
	var f *dl4j.FormatError
	if d.Version == Present || !errors.As(err, &f) {
		return err
	}
	with := "1.0.0-beta4, which reads more of the old forms"
	if d.Version == Beta7 {
		with = "1.0.0-M2.1"
	}
	g := *f
	g.Err = fmt.Errorf("%w; the file seems to be one of Deeplearning4j %s: open it with %s, and save it again",
		f.Err, d.Version, with)
	return &g
}

// seems notes that something looks as in a version. The oldest one counts.
func (u *upgrade) seems(version string) {
	age := []string{Present, Beta7, Beta3, Alpha, Nine, Seven, Six, Five}
	if slices.Index(age, version) > slices.Index(age, u.version) {
		u.version = version
	}
}

func (u *upgrade) notice(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(u.notices, s) {
		u.notices = append(u.notices, s)
	}
}

// network changes a configuration of either kind.
func (u *upgrade) network(root *dl4j.Object) error {
	if v, ok := take(root, "backprop"); ok {
		u.seems(Beta3)
		if v != true {
			u.notice("the network is one for pretraining only (backprop is false), which has no effect any more")
		}
	}
	if v, ok := take(root, "pretrain"); ok {
		u.seems(Beta3)
		if v != false {
			u.notice("training began with pretraining (pretrain is true), which is now a step of its own")
		}
	}
	err := each(root, "confs", func(v any) (any, error) { return list(v, u.configuration) })
	if err == nil {
		err = each(root, "defaultConfiguration", u.configuration)
	}
	if err == nil {
		err = each(root, "inputPreProcessors", func(v any) (any, error) { return members(v, u.preprocessor) })
	}
	if err == nil {
		err = each(root, "vertices", func(v any) (any, error) { return members(v, u.vertex) })
	}
	return err
}

// configuration changes a NeuralNetConfiguration, in a list or in a vertex.
func (u *upgrade) configuration(v any) (any, error) {
	o, ok := object(v)
	if !ok {
		return v, nil
	}
	c := conf{regularization: true}
	for _, name := range []string{"l1ByParam", "l2ByParam", "learningRateByParam", "leakyreluAlpha", "momentumByParam"} {
		if _, ok := take(&o, name); ok {
			u.seems(Alpha)
		}
	}
	if v, ok := take(&o, "pretrain"); ok {
		u.seems(Beta3)
		if v == true {
			u.notice("training began with pretraining (pretrain is true), which is now a step of its own")
		}
	}
	if v, ok := take(&o, "numIterations"); ok {
		u.seems(Nine)
		if n, isNumber := v.(dl4j.Number); isNumber && n != "1" {
			u.notice("%s steps were done for each minibatch (numIterations); now one is", n)
		}
	}
	if v, ok := take(&o, "useRegularization"); ok {
		u.seems(Nine)
		c.regularization = v == true
	}
	if v, ok := take(&o, "useDropConnect"); ok {
		u.seems(Nine)
		c.dropConnect = v == true
	}
	c.policy, _ = takeString(&o, "learningRatePolicy")
	c.decay, c.power, c.steps = takeFloat(&o, "lrPolicyDecayRate"), takeFloat(&o, "lrPolicyPower"),
		takeFloat(&o, "lrPolicySteps")
	if names, ok := o.Get("variables"); ok {
		c.variables, _ = names.([]any)
	}
	err := each(&o, "layer", func(v any) (any, error) { return u.layer(v, c) })
	return o, err
}

// conf is what a NeuralNetConfiguration says of its layer.
type conf struct {
	regularization, dropConnect bool
	policy                      string // of the learning rate
	decay, power, steps         float64
	variables                   []any // the names of the layer's parameters
}

// vertex changes a vertex of a graph.
func (u *upgrade) vertex(v any) (any, error) {
	o, err := u.unwrap(v, "a vertex", vertices)
	if err != nil || o == nil {
		return v, err
	}
	if err := each(&o, "layerConf", u.configuration); err != nil {
		return nil, err
	}
	err = each(&o, "preProcessor", u.preprocessor)
	return o, err
}

func (u *upgrade) preprocessor(v any) (any, error) {
	o, err := u.unwrap(v, "a preprocessor", preprocessors)
	if err != nil || o == nil {
		return v, err
	}
	err = each(&o, "inputPreProcessors", func(v any) (any, error) { return list(v, u.preprocessor) })
	return o, err
}
