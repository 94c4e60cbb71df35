package nn

import (
	"fmt"
	"maps"
	"math"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/program"
)

// DefaultGradientLimit is a usual limit for [Network.DetectAnomalies].
const DefaultGradientLimit = 1000

// AnomalyError means that a training step met a number that is not finite, or an exploding gradient: see
// [Network.DetectAnomalies]. It names the first operation with such a result. The parameters are those before the step,
// unless Phase is program.Updating.
type AnomalyError struct {
	Iteration, Epoch int
	Layer            string // as [DivergedError] names it
	Phase            program.Phase
	Op               string // empty if no single operation of the update is at fault
	What             string
	Exploding        bool
}

func (e *AnomalyError) Error() string {
	where := fmt.Sprintf("%s, %s half", e.Layer, e.Phase)
	switch {
	case e.Phase == program.Updating:
		where = e.Layer + ", update"
	case e.Op != "":
		where += ", operation " + e.Op
	}
	remedy := "a lower learning rate, normalised data or another activation may help"
	if e.Exploding {
		remedy = "gradient clipping, a lower learning rate or normalised data may help"
	}
	return fmt.Sprintf("anomaly at iteration %d (epoch %d): %s: %s; %s", e.Iteration, e.Epoch, where, e.What, remedy)
}

// DetectAnomalies makes each step look for numbers that are not finite, and for layers whose gradient of the mean loss
// has a norm above the limit. If a step finds one, it is computed again, operation by operation, and returns an
// *[AnomalyError]. A limit of 0 switches the search off. The search makes steps on a device slower.
func (n *training) DetectAnomalies(limit float64) { n.gradientLimit = limit }

// SetProfile makes the network's executor time the operations of its programs; nil stops it. It fails if the executor
// can't time operations. Call [Network.SetExecutor] first.
func (n *backend) SetProfile(p *program.Profile) error {
	e, ok := n.exec().(program.Profiler)
	if !ok {
		return fmt.Errorf("nn: operations are timed on the processor, not on a device")
	}
	e.SetProfile(p)
	n.profile = p
	return nil
}

// Profile returns the profile set by SetProfile.
func (n *backend) Profile() *program.Profile { return n.profile }

// anomaly checks the score and the gradient of a step before the step changes anything.
func (n *training) anomaly(score float64, m *data.MultiDataSet, key Key, before states) error {
	n.take(program.Gradient)
	finite := !math.IsNaN(score) && !math.IsInf(score, 0)
	worst, norm := -1, n.gradientLimit
	for _, e := range n.layout.entries {
		x := normOf(n.gradient[e.offset : e.offset+e.size])
		finite = finite && x-x == 0
		if x > norm {
			worst, norm = e.node, x
		}
	}
	if finite && worst < 0 {
		return nil
	}
	if !finite {
		if err := m.CheckFinite(); err != nil {
			return err
		}
		if err := n.CheckParams(); err != nil {
			return err
		}
	}
	found := &AnomalyError{Iteration: n.iteration, Epoch: n.epoch, Exploding: finite}
	if err := n.firstAnomaly(found, finite, m, key, before); err != nil {
		return err
	}
	if found.What != "" {
		return found
	}
	if !finite {
		return nil // stepWith reports the update
	}
	found.Layer, found.Phase = n.place(worst), program.Backward
	found.What = fmt.Sprintf("the norm of its gradient is %.3g, above %.3g", norm, n.gradientLimit)
	return found
}

// firstAnomaly computes a step again, keeping the results of all operations. It describes the first result that is not
// finite; in a finite step, it describes the first operation of the backward half with a norm above the limit.
func (n *training) firstAnomaly(found *AnomalyError, finite bool, m *data.MultiDataSet, key Key, before states) error {
	l, err := n.lowerData(forMean, true, n.segmented(), shapesOf(m, forMean))
	if err != nil {
		return err
	}
	pl := prepare(l, forMean, true, shapes{})
	var all []program.Named // without the states of recurrent layers, which are the last outputs
	for _, node := range pl.program.Nodes {
		for _, v := range node.Out {
			all = append(all, program.Named{Name: v.String(), Value: v})
		}
	}
	pl.program.Outputs = append(all, pl.program.Outputs...)
	if pl.exe, err = n.exec().Compile(pl.program); err != nil {
		return fmt.Errorf("looking for the anomaly: %w", err)
	}
	now := n.carried
	if before != nil {
		n.carried = before
	}
	err = n.run(pl, m, key)
	n.carried = now
	if err != nil {
		return fmt.Errorf("looking for the anomaly: %w", err)
	}
	pl.bind(m, n.iteration, n.epoch, n.factor) // reach reads the bound operands
	at := 0
	for _, node := range pl.program.Nodes {
		for range node.Out {
			x := pl.exe.Output(at)
			at++
			bad := notFinite(x)
			switch {
			case !finite && bad >= 0:
				found.What = fmt.Sprintf("its result holds %v, from operands of up to %.3g", x[bad], n.reach(pl, node))
			case finite && node.Phase == program.Backward && normOf(x) > n.gradientLimit:
				found.What = fmt.Sprintf("the norm of the gradient grows to %.3g, above %.3g", normOf(x), n.gradientLimit)
			default:
				continue
			}
			found.Layer, found.Phase, found.Op = n.placeNamed(node.Layer), node.Phase, opName(node.Op)
			return nil
		}
	}
	return nil
}

// reach returns the largest magnitude of an operation's operands.
func (n *training) reach(pl *plan, node *program.Node) float64 {
	largest := 0.0
	look := func(x []float32) {
		for _, v := range x {
			largest = max(largest, math.Abs(float64(v)))
		}
	}
	for _, v := range node.In {
		switch v.Kind {
		case program.FromNode:
			look(pl.exe.Output(pl.program.Output(v.String())))
		case program.FromVector:
			if v.Vector == program.Params {
				look(n.params[v.Offset : v.Offset+v.Shape.Size()])
			}
		case program.FromConst:
			for _, c := range v.Const {
				largest = max(largest, math.Abs(c))
			}
		case program.FromInput:
			look(pl.bindings.Inputs[pl.program.Input(v.Name)])
		}
	}
	return largest
}

// updated reports the first parameter or update that is not finite, after an update with a finite gradient.
func (n *training) updated() error {
	n.take(program.Params, program.State, program.Update)
	for _, e := range n.layout.entries {
		what := "its parameter"
		bad := notFinite(n.params[e.offset : e.offset+e.size])
		for _, moved := range [][]float32{n.update, n.residual} {
			if bad < 0 && moved != nil {
				what, bad = "the update of its parameter", notFinite(moved[e.offset:e.offset+e.size])
			}
		}
		if bad >= 0 {
			return &AnomalyError{Iteration: n.iteration, Epoch: n.epoch, Layer: n.place(e.node), Phase: program.Updating,
				What: fmt.Sprintf("%s %s is not finite, of a gradient that is", what, e.param.Name)}
		}
	}
	return nil
}

// placeNamed returns the place of the node with this name.
func (n *training) placeNamed(name string) string {
	for i := range n.nodes {
		if n.nodes[i].name == name {
			return n.place(i)
		}
	}
	return "the network"
}

// opName names an operation; it names elementwise operations by their kind.
func opName(op program.Op) string {
	switch op := op.(type) {
	case program.Unary:
		return string(op.Kind)
	case program.Binary:
		return string(op.Kind)
	}
	return op.Name()
}

// copied returns a copy of the carried states if anomalies are looked for, and nil otherwise.
func (n *training) copied() states {
	if n.gradientLimit == 0 || n.carried == nil {
		return nil
	}
	of := maps.Clone(n.carried)
	for k, v := range of {
		of[k] = v.Clone()
	}
	return of
}
