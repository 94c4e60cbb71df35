// Package legacy upgrades configurations that Deeplearning4j 0.7 to 1.0.0-beta7 wrote to the form of 1.0.0-M2.1. It
// only changes the tree of the document: parts that it does not know stay as they are, and are an error when the tree
// is read.
//
// The result is that of 1.0.0-M2.1, with these exceptions: a dropout of 0 is no dropout, learning rates of biases and
// policies of learning rates are kept, and what can't be kept is reported.
package legacy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
)

// The versions that the form of a document can show.
const (
	Present = ""                     // 1.0.0-M2.1's form
	Beta7   = "1.0.0-beta4 to beta7" // members that M2.1 no longer has
	Beta3   = "1.0.0-beta to beta3"  // l1, l2, weightInit
	Alpha   = "1.0.0-alpha"          // classes as the only member of an object
	Nine    = "0.8 to 0.9.1"         // updaters' settings are in the layers, beside an object of the updater
	Seven   = "0.7.2 or before"      // no such object
	Six     = "0.7.1 or before"      // activation functions by name
	Five    = "0.5.0 or before"      // losses by name
)

// Document is a configuration in the present form.
type Document struct {
	Root dl4j.Object
	// Version is the version that seems to have written the document.
	Version string
	// Notices name what is not carried over from an old file, in sentences without a full stop.
	Notices []string
}

// Summed reports whether the version worked on the sums of a minibatch's gradients and divided afterwards. Then the
// updaters' state in its files is larger than the state for means.
func (d Document) Summed() bool { return d.Version != Present && d.Version != Beta7 }

// upgrade is a document that is being upgraded.
type upgrade struct {
	version string
	notices []string
}

// Upgrade returns the document in the present form. Its errors are dl4j.FormatErrors with the place of the problem and
// the version.
func Upgrade(root dl4j.Object) (Document, error) {
	u := &upgrade{}
	root = slices.Clone(root)
	err := u.network(&root)
	d := Document{root, u.version, u.notices}
	return d, d.Explain(err)
}

// Explain adds to an error about the document's content the version that the document seems to be of, and a remedy.
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

// seems notes that something looks like a version. The oldest version counts.
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

// network upgrades a configuration of either kind.
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

// configuration upgrades a NeuralNetConfiguration, in a list or in a vertex.
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

// conf holds the settings of a NeuralNetConfiguration for its layer.
type conf struct {
	regularization, dropConnect bool
	policy                      string // of the learning rate
	decay, power, steps         float64
	variables                   []any // the names of the layer's parameters
}

// vertex upgrades a vertex of a graph.
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
