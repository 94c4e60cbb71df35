package eval

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

func init() {
	register("ROCBinary", func() Evaluator { return NewROCBinary(0) })
	register("ROCMultiClass", func() Evaluator { return NewROCMultiClass(0) })
}

// MarshalTree returns the members in Deeplearning4j's order.
func (e *ROCBinary) MarshalTree() (any, error) {
	m := e.members()
	return dl4j.Object{m["underlying"], m["thresholdSteps"], m["rocRemoveRedundantPts"], m["labels"], m["axis"]}, nil
}

// MarshalTree returns the members in Deeplearning4j's order.
func (e *ROCMultiClass) MarshalTree() (any, error) {
	m := e.members()
	return dl4j.Object{m["thresholdSteps"], m["rocRemoveRedundantPts"], m["underlying"], m["labels"], m["axis"]}, nil
}

func (e *ROCs) members() map[string]dl4j.Member {
	var underlying any
	if e.of != nil {
		trees := make([]any, len(e.of))
		for i, r := range e.of {
			trees[i] = dl4j.Deferred(func() (any, error) {
				var c Evaluator = r
				return dl4j.ToTree(&c)
			})
		}
		underlying = trees
	}
	m := map[string]dl4j.Member{}
	for name, value := range map[string]any{"underlying": underlying, "thresholdSteps": e.ThresholdSteps,
		"rocRemoveRedundantPts": !e.KeepRedundant, "labels": names(e.Labels), "axis": e.Axis} {
		m[name] = dl4j.Member{Name: name, Value: value}
	}
	return m
}

// names returns a list of names, or null.
func names(labels []string) any {
	if len(labels) == 0 {
		return nil
	}
	return list(labels)
}

// UnmarshalTree reads the members. ROCs that contradict each other are an error.
func (e *ROCs) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := struct {
		Underlying []Evaluator `dl4j:"underlying"`
		Steps      int         `dl4j:"thresholdSteps"`
		Remove     bool        `dl4j:"rocRemoveRedundantPts"`
		Labels     []string    `dl4j:"labels"`
		Axis       int         `dl4j:"axis"`
	}{Remove: true, Axis: 1}
	if err := dl4j.FromTree(o.Without("@class"), &f); err != nil {
		return err
	}
	n := ROCs{ThresholdSteps: f.Steps, KeepRedundant: !f.Remove, Labels: f.Labels, Axis: f.Axis}
	if f.Steps < 0 || f.Steps > maxBins {
		return fmt.Errorf("there are %d threshold steps", f.Steps)
	}
	for i, c := range f.Underlying {
		r, ok := c.(*ROC)
		if !ok || r.ThresholdSteps != n.ThresholdSteps || r.KeepRedundant != n.KeepRedundant {
			return fmt.Errorf("underlying[%d] is no ROC with the settings of the whole", i)
		}
		n.of = append(n.of, r)
	}
	if len(n.of) > 0 && len(n.Labels) > 0 && len(n.Labels) != len(n.of) {
		return fmt.Errorf("there are %d labels for %d outputs", len(n.Labels), len(n.of))
	}
	*e = n
	return nil
}
