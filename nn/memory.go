package nn

import "github.com/dl4go/dl4go/data"

// Memory returns the bytes of the buffers for a training step on a minibatch of m's shapes, without the flat vectors.
func (n *programs) Memory(m *data.MultiDataSet) (int64, error) {
	step, err := n.plan(n.stepGradient(), true, m)
	if err != nil {
		return 0, err
	}
	update, err := n.updateAfter(step, forStep)
	if err != nil {
		return 0, err
	}
	return step.exe.Memory() + update.exe.Memory(), nil
}

// InferenceMemory returns the bytes of the buffers that [Network.Infer] needs for a minibatch of m's shapes, without
// the parameters.
func (n *programs) InferenceMemory(m *data.MultiDataSet) (int64, error) {
	pl, err := n.plan(forOutput, false, m)
	if err != nil {
		return 0, err
	}
	return pl.exe.Memory(), nil
}
