package keras

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
)

// shaped is what Adafactor and Muon need to know of a model: they treat matrices otherwise than vectors.
type shaped struct {
	muon   bool
	decay  float64          // of the weights with Muon's steps
	except []*regexp.Regexp // of the paths of variables that have Adam's steps
	tables bool             // embeddings have Muon's steps
}

// readAdafactor makes Adafactor. Its relative_step has no effect in Keras.
func readAdafactor(b *builder, config settings) {
	u := updater.NewAdafactor()
	u.LearningRate, u.Decay = readRate(b, config, 1e-3), config.float("beta_2_decay", -0.8)
	u.Epsilon1, u.Epsilon2 = config.float("epsilon_1", 1e-30), config.float("epsilon_2", 1e-3)
	u.Clip = config.float("clip_threshold", 1)
	config.bool("relative_step", true)
	b.training.updater, b.training.shaped = u, &shaped{}
	if _, since211 := config.m["weight_decay"]; !since211 || !b.a.since(3, 0) {
		b.cannot("the optimizer adafactor is of Keras before 3.0, whose state is another")
	}
}

// readMuon makes Muon.
func readMuon(b *builder, config settings) {
	s := &shaped{muon: true, tables: !config.bool("exclude_embeddings", true)}
	u := updater.NewMuon()
	u.LearningRate, u.Momentum = readRate(b, config, 1e-3), config.float("momentum", 0.95)
	u.Classical, u.Iterations = !config.bool("nesterov", true), config.int("ns_steps", 0, 5)
	u.A, u.B, u.C = config.float("muon_a", 3.4445), config.float("muon_b", -4.775), config.float("muon_c", 2.0315)
	u.RMS, u.AdamRatio = config.float("rms_rate", 0), config.float("adam_lr_ratio", 1)
	u.Beta1, u.Beta2 = config.float("adam_beta_1", 0.9), config.float("adam_beta_2", 0.999)
	u.Epsilon = config.float("epsilon", 1e-7)
	b.training.updater, b.training.shaped = u, s
	if _, known := config.m["rms_rate"]; !known {
		b.cannot("the optimizer muon has no rms_rate: it is of an older version of Keras, whose formula is another")
	}
	s.decay = config.float("weight_decay", 0)
	if math.IsNaN(s.decay) || s.decay < 0 {
		config.wrong("weight_decay", "a positive number")
	}
	list, _ := config.get("exclude_layers").([]any)
	for _, v := range list {
		text, ok := v.(string)
		pattern, err := regexp.Compile(text)
		if !ok || err != nil {
			b.cannot("the optimizer muon has the pattern %s in exclude_layers, which is not read", shown(v))
			continue
		}
		s.except = append(s.except, pattern)
	}
}

// settle sets the updater of a layer, and its decay of weights.
func (s *shaped) settle(b *builder, l *kerasLayer, base *layer.Base, weights []weight) {
	t := b.training
	kinds := map[bool]bool{}
	u, _ := base.Updater.(updater.Muon)
	for _, w := range weights {
		if len(w.axes) < 2 {
			kinds[false] = kinds[false] || !w.bias
			continue
		}
		orthogonal := s.muon && len(w.axes) == 2 && !s.isExcept(b, l, w)
		kinds[orthogonal] = true
		switch ours := w.keras == "gamma" || w.keras == "beta"; {
		case ours && (orthogonal || !s.muon), slices.Contains(w.axes, divided):
			b.cannot("layer %s has a %s of %d dimensions, which the optimizer takes as matrices", l.name, w.keras, len(w.axes))
		case orthogonal && w.keras == "embeddings":
			u.Tables = true
		case s.muon && !orthogonal && !ours:
			u.Except = append(u.Except, w.ours)
		}
	}
	if !s.muon {
		return
	}
	base.Updater = u
	if t.decay == s.decay || !kinds[true] {
		return
	}
	if kinds[false] {
		b.cannot("layer %s has weights with Muon's steps and others with Adam's, and their weight_decay differs", l.name)
	}
	own := base.Regularization
	if t.decay != 0 {
		own = own[1:]
	}
	base.Regularization = nil
	if s.decay != 0 {
		base.Regularization = append(base.Regularization, regularization.NewDecoupledDecay(s.decay))
	}
	base.Regularization = append(base.Regularization, own...)
}

// isExcept reports whether a weight has Adam's steps because of its path. The path may begin with the names of models,
// which depends on how the model was built.
func (s *shaped) isExcept(b *builder, l *kerasLayer, w weight) bool {
	below := l.scope + "/" + w.keras
	if w.keras == "recurrent" {
		below += "_kernel"
	}
	matches := func(path string) bool {
		return !s.tables && strings.Contains(strings.ToLower(path), "embedding") ||
			slices.ContainsFunc(s.except, func(p *regexp.Regexp) bool { return p.MatchString(path) })
	}
	is := matches(path.Base(l.name) + below)
	if is != matches(b.model.name+"/"+l.name+below) {
		b.cannot("the optimizer muon: it depends on the names of models whether layer %s is in exclude_layers", l.name)
	}
	return is
}

// restore sets the state of the updaters, from array number at on.
func (s *shaped) restore(b *builder, g *nn.Graph, learned []stored, at int) {
	states := g.ParamStates()
	views := map[string]updater.Parameter{}
	for _, p := range g.ParamTable() {
		views[p.Key] = p.View
	}
	for _, w := range learned {
		n := len(w.shape)
		switch {
		case s.muon:
			restoreSlot(b, w, at, states, 0)
			if at++; !s.isOrthogonal(b, w, states) {
				restoreSlot(b, w, at, states, 1)
				at++
			}
		case n < 2: // the first two are empty
			restoreSlot(b, w, at+2, states, 0)
			at += 3
		default:
			rows, columns := w.shape[n-2], w.shape[n-1]
			outer := slices.Clone(w.shape[:n-2])
			r := w.slotOf(b, at, append(slices.Clone(outer), rows))
			c := w.slotOf(b, at+1, append(slices.Clone(outer), columns))
			whole := make([]float32, size(w.shape))
			for i := range whole {
				whole[i] = r[i/columns]
			}
			w.putMeans(b, views, states, 0, whole)
			for i := range whole {
				whole[i] = c[i/(rows*columns)*columns+i%columns]
			}
			w.putMeans(b, views, states, 1, whole)
			at += 3 // the third one is the product of the others
		}
	}
	if n := len(b.a.slotNames()); at != n {
		refuse("the optimizer has %d arrays in the file, and %d are needed for %d weights", n, at, len(learned))
	}
}

// isOrthogonal reports whether a weight has Muon's steps: then it has one state.
func (s *shaped) isOrthogonal(b *builder, w stored, states map[string][][]float32) (is bool) {
	w.put(func(key string) []float32 {
		of := states[b.key(key)]
		is = len(of) == 1
		return make([]float32, len(of[0]))
	}, make([]float32, size(w.shape)))
	return is
}

// putMeans copies the means of rows, or of columns, to state array k. whole has the mean of each element's row or
// column, in the shape of the weight.
func (w stored) putMeans(b *builder, views map[string]updater.Parameter, states map[string][][]float32, k int,
	whole []float32) {
	parts := map[string][]float32{}
	w.put(func(key string) []float32 {
		key = b.key(key)
		if parts[key] == nil {
			parts[key] = make([]float32, views[key].Shape.Size())
		}
		return parts[key]
	}, whole)
	for key, x := range parts {
		view := views[key]
		over := []int{view.Columns, view.Rows}[k]
		if len(states[key]) <= k || !view.IsMatrix() {
			refuse("the parameter %s has no state %d", key, k)
		}
		inner := view.Shape[over+1:].Size()
		to, extent := states[key][k], view.Shape[over]
		for i, v := range x {
			if i/inner%extent == 0 {
				to[i/(inner*extent)*inner+i%inner] = v
			} else if v != to[i/(inner*extent)*inner+i%inner] {
				refuse("%v: its rows and columns are not those of the parameter %s", w.variable, key)
			}
		}
	}
}
