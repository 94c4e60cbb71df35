package eval

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// wire is an evaluation on its way to another process: its JSON, and what that leaves out of ROCs.
type wire struct {
	Evaluation string
	ROCs       []wireROC
}

// wireROC is what Deeplearning4j's JSON leaves out: the axis, and the examples of an exact ROC. They take 4 bytes each
// for the probability, and a bit for the label.
type wireROC struct {
	Axis          int    `json:",omitempty"`
	Probabilities []byte `json:",omitempty"`
	Labels        []byte `json:",omitempty"`
}

// Encode gives all that e holds, for Decode: unlike Marshal's JSON, it has the examples of exact ROCs, so that what is
// decoded can be merged. e is as before afterwards.
func Encode(e Evaluator) ([]byte, error) {
	w := wire{}
	held := map[*ROC]ROC{}
	defer func() {
		for r, all := range held {
			*r = all
		}
	}()
	for _, r := range rocsOf(e) {
		x := wireROC{Axis: r.Axis}
		if r.ThresholdSteps == 0 && !r.summary() {
			x.Probabilities, x.Labels = packPoints(r.points)
			held[r] = *r
			*r = ROC{KeepRedundant: r.KeepRedundant, Axis: r.Axis}
		}
		w.ROCs = append(w.ROCs, x)
	}
	b, err := Marshal(e)
	if err != nil {
		return nil, err
	}
	w.Evaluation = string(b)
	return json.Marshal(w)
}

// Decode reads what Encode gave. Errors are *dl4j.FormatErrors.
func Decode(b []byte) (Evaluator, error) {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, &dl4j.FormatError{Offset: -1, Err: err}
	}
	e, err := Unmarshal([]byte(w.Evaluation))
	if err != nil {
		return nil, err
	}
	rocs := rocsOf(e)
	if len(rocs) != len(w.ROCs) {
		return nil, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("%T: the examples of %d ROCs, of which it has %d", e, len(w.ROCs), len(rocs))}
	}
	for i, r := range rocs {
		x := w.ROCs[i]
		r.Axis = x.Axis
		n := len(x.Probabilities) / 4
		if len(x.Probabilities)%4 != 0 || len(x.Labels) != (n+7)/8 || n > 0 && (r.ThresholdSteps > 0 || r.examples > 0) {
			return nil, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("%T: ROC %d has %d bytes of probabilities and %d of labels", e, i, len(x.Probabilities), len(x.Labels))}
		}
		for j := range n {
			p := math.Float32frombits(binary.LittleEndian.Uint32(x.Probabilities[4*j:]))
			positive := x.Labels[j/8]>>(j%8)&1 == 1
			r.add(p, positive, !positive)
		}
	}
	return e, nil
}

func packPoints(points []point) (probabilities, labels []byte) {
	probabilities = make([]byte, 4*len(points))
	labels = make([]byte, (len(points)+7)/8)
	for i, p := range points {
		binary.LittleEndian.PutUint32(probabilities[4*i:], math.Float32bits(p.probability))
		if p.positive {
			labels[i/8] |= 1 << (i % 8)
		}
	}
	return probabilities, labels
}

// rocsOf gives the ROCs that an evaluation consists of.
func rocsOf(e Evaluator) []*ROC {
	switch e := e.(type) {
	case *ROC:
		return []*ROC{e}
	case *ROCBinary:
		return e.of
	case *ROCMultiClass:
		return e.of
	case *EvaluationBinary:
		if e.ROC != nil {
			return e.ROC.of
		}
	}
	return nil
}
