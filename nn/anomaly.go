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

// AnomalyError names the first operation of a training step that came to NaN or an infinity, or where the gradient
// explodes. The parameters are those before the step, unless Phase is program.Updating.
type AnomalyError struct {
	Iteration, Epoch int
	Layer            string // as [DivergedError] names it
	Phase            program.Phase
	Op               string // empty where the update is at fault as a whole
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

// DetectAnomalies has each step look for numbers that are not finite, and for gradients of the mean loss whose norm
// in a layer is above a limit. The error is an *[AnomalyError] then. Such a step is computed again, operation by
// operation. A limit of 0 ends that. Steps on a device are slower with it.
func (n *training) DetectAnomalies(limit float64) { n.gradientLimit = limit }

// SetProfile has the network's executor time the operations of its programs; nil: no longer. It fails where the
// executor can't. [Network.SetExecutor] comes before it.
func (n *backend) SetProfile(p *program.Profile) error {
	e, ok := n.exec().(program.Profiler)
	if !ok {
		return fmt.Errorf("nn: operations are timed on the processor, not on a device")
	}
	e.SetProfile(p)
	n.profile = p
	return nil
}

// Profile is that of SetProfile.
func (n *backend) Profile() *program.Profile { return n.profile }

// anomaly looks at the gradient of a step, whose score is given, before it changes anything.
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
		return nil // stepWith says what it knows
	}
	found.Layer, found.Phase = n.place(worst), program.Backward
	found.What = fmt.Sprintf("the norm of its gradient is %.3g, above %.3g", norm, n.gradientLimit)
	return found
}

// firstAnomaly computes a step again with the results of all operations, and describes the first one that is not
// finite, or of the backward half of a finite step, whose norm is above the limit.
func (n *training) firstAnomaly(found *AnomalyError, finite bool, m *data.MultiDataSet, key Key, before states) error {
	l, err := n.lowerData(forMean, true, n.segmented(), shapesOf(m, forMean))
	if err != nil {
		return err
	}
	pl := prepare(l, forMean, true, shapes{})
	var all []program.Named // before the states of recurrent layers, which are the last outputs
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
	pl.bind(m, n.iteration, n.epoch) // for reach
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

// reach is the largest magnitude among an operation's operands.
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

// updated looks at what an update with a finite gradient has come to.
func (n *training) updated() error {
	n.take(program.Params, program.State, program.Update)
	for _, e := range n.layout.entries {
		what := "its parameter"
		bad := notFinite(n.params[e.offset : e.offset+e.size])
		if bad < 0 && n.update != nil {
			what, bad = "the update of its parameter", notFinite(n.update[e.offset:e.offset+e.size])
		}
		if bad >= 0 {
			return &AnomalyError{Iteration: n.iteration, Epoch: n.epoch, Layer: n.place(e.node), Phase: program.Updating,
				What: fmt.Sprintf("%s %s is not finite, of a gradient that is", what, e.param.Name)}
		}
	}
	return nil
}

// placeNamed is the place of a node of this name.
func (n *training) placeNamed(name string) string {
	for i := range n.nodes {
		if n.nodes[i].name == name {
			return n.place(i)
		}
	}
	return "the network"
}

// opName names an operation, an elementwise one by its kind.
func opName(op program.Op) string {
	switch op := op.(type) {
	case program.Unary:
		return string(op.Kind)
	case program.Binary:
		return string(op.Kind)
	}
	return op.Name()
}

// copied gives the states that a run begins with, where anomalies are looked for and it has some.
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
