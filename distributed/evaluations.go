package distributed

import (
	"encoding/binary"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
)

// evaluated is the result of evaluating a part of the data.
type evaluated struct {
	losses compensated // of the examples; zero if they are not wanted
	evals  []eval.Evaluator
}

// mergeEvaluations merges the rows of all partitions into one.
var mergeEvaluations = engine.Register("distributed.mergeEvaluations",
	func(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		var total evaluated
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			part, err := readEvaluated(row.Bytes)
			if err != nil {
				return engine.Permanent(err)
			}
			if total.evals == nil {
				total = part
				continue
			}
			total.losses.merge(part.losses)
			for i, e := range part.evals {
				if err := total.evals[i].Merge(e); err != nil {
					return engine.Permanent(err)
				}
			}
		}
		return writeEvaluated(out, total)
	})

// writeEvaluated writes a row: the losses, and then the evaluations.
func writeEvaluated(out engine.Writer, e evaluated) error {
	b, err := encodeEvaluations(e.evals)
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(append(e.losses.append(nil), b...)))
}

func readEvaluated(row []byte) (e evaluated, err error) {
	if e.losses, err = readCompensated(row[:min(compensatedSize, len(row))]); err == nil {
		e.evals, err = decodeEvaluations(row[compensatedSize:])
	}
	return e, err
}

// encodeEvaluations writes each evaluation's eval.Encode after its length (uint64, little-endian).
func encodeEvaluations(evals []eval.Evaluator) ([]byte, error) {
	encoded, size := make([][]byte, len(evals)), 0
	for i, e := range evals {
		var err error
		if encoded[i], err = eval.Encode(e); err != nil {
			return nil, fmt.Errorf("evaluation %d: %w", i, err)
		}
		size += 8 + len(encoded[i])
	}
	b := make([]byte, 0, size)
	for i := range encoded {
		b = append(binary.LittleEndian.AppendUint64(b, uint64(len(encoded[i]))), encoded[i]...)
		encoded[i] = nil
	}
	return b, nil
}

// decodeEvaluations reads them. They may share b's memory, which must not change any more.
func decodeEvaluations(b []byte) (evals []eval.Evaluator, err error) {
	for len(b) > 0 {
		if len(b) < 8 || binary.LittleEndian.Uint64(b) > uint64(len(b)-8) {
			return nil, fmt.Errorf("the evaluations of a part of the data end too early, in the %d bytes of evaluation %d",
				len(b), len(evals))
		}
		end := 8 + int(binary.LittleEndian.Uint64(b))
		e, err := eval.Decode(b[8:end:end])
		if err != nil {
			return nil, fmt.Errorf("evaluation %d: %w", len(evals), err)
		}
		evals, b = append(evals, e), b[end:]
	}
	return evals, nil
}
