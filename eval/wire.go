package eval

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
)

// wire is an evaluation in transit to another process: its JSON, and the data of ROCs that the JSON lacks. In bytes it
// is the length of its JSON (uint32, little-endian), the JSON, padded with blanks to a multiple of 4, and the examples
// of each ROC.
type wire struct {
	Evaluation string
	ROCs       []wireROC
}

// wireROC is the data that Deeplearning4j's JSON lacks: the axis, and the number of an exact ROC's examples that
// follow.
type wireROC struct {
	Axis     int `json:",omitempty"`
	Examples int `json:",omitempty"`
}

// Encode returns the whole state of e, for [Decode]. Unlike the JSON of [Marshal], it has the examples of exact ROCs,
// so the decoded evaluation can be merged. e does not change.
func Encode(e Evaluator) ([]byte, error) {
	w, size := wire{}, 0
	held := map[*ROC]ROC{}
	defer func() {
		for r, all := range held {
			*r = all
		}
	}()
	rocs := rocsOf(e)
	for _, r := range rocs {
		x := wireROC{Axis: r.Axis}
		held[r] = *r
		if r.ThresholdSteps == 0 && !r.summary() {
			x.Examples = r.kept.count
			size += r.kept.bytes()
			*r = ROC{KeepRedundant: r.KeepRedundant, Axis: r.Axis}
		}
		w.ROCs = append(w.ROCs, x)
	}
	text, err := Marshal(e)
	if err != nil {
		return nil, err
	}
	w.Evaluation = string(text)
	head, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	for len(head)%4 != 0 {
		head = append(head, ' ')
	}
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(head)+size), uint32(len(head)))
	b = append(b, head...)
	for i, r := range rocs {
		if all := held[r]; w.ROCs[i].Examples > 0 {
			b = all.kept.append(b)
		}
	}
	return b, nil
}

// Decode reads the result of [Encode]. The evaluation may use the memory of b, which must not change afterwards.
// Errors are *dl4j.FormatErrors.
func Decode(b []byte) (Evaluator, error) {
	broken := func(format string, args ...any) error {
		return &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("an evaluation on its way: "+format, args...)}
	}
	if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
		return nil, broken("%d bytes are not all of it", len(b))
	}
	end := 4 + int(binary.LittleEndian.Uint32(b))
	head, rest := b[4:end], b[end:]
	var w wire
	if err := json.Unmarshal(head, &w); err != nil {
		return nil, broken("%w", err)
	}
	e, err := Unmarshal([]byte(w.Evaluation))
	if err != nil {
		return nil, err
	}
	rocs := rocsOf(e)
	if len(rocs) != len(w.ROCs) {
		return nil, broken("%T: the examples of %d ROCs, of which it has %d", e, len(w.ROCs), len(rocs))
	}
	for i, r := range rocs {
		n := w.ROCs[i].Examples
		if n < 0 || n > len(rest)/4 || n > 0 && (r.ThresholdSteps > 0 || r.examples > 0) {
			return nil, broken("%T: %d bytes for the %d examples of ROC %d", e, len(rest), n, i)
		}
		own := examples{count: n}
		if own.bytes() > len(rest) {
			return nil, broken("%T: %d bytes for the %d examples of ROC %d", e, len(rest), n, i)
		}
		r.Axis = w.ROCs[i].Axis
		r.take(readExamples(rest[:own.bytes():own.bytes()], n))
		rest = rest[own.bytes():]
	}
	if len(rest) > 0 {
		return nil, broken("%T: %d bytes too many", e, len(rest))
	}
	return e, nil
}

// take sets the examples of an exact ROC without examples.
func (e *ROC) take(x examples) {
	if x.count == 0 {
		return
	}
	e.kept, e.examples = x, int64(x.count)
	for _, p := range x.parts {
		e.positives += int64(p.positives())
	}
	e.negatives = e.examples - e.positives
}

// rocsOf returns the ROCs in an evaluation.
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
