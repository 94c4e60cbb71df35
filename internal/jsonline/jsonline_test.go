package jsonline

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/tensor"
)

// pieces records what is written, and the size of the largest write.
type pieces struct {
	bytes.Buffer
	largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.largest = max(p.largest, len(b))
	return p.Buffer.Write(b)
}

// TestWriteLine: a line with evaluations equals the line of a json.Encoder that has their whole text, and is written
// in pieces.
func TestWriteLine(t *testing.T) {
	const n = 20_000
	r := rand.New(rand.NewPCG(1, 2))
	labels, predictions := tensor.New(n, 3), tensor.New(n, 3)
	for i := range n {
		labels.Data[3*i+r.IntN(3)] = 1
		for k := range 3 {
			predictions.Data[3*i+k] = r.Float32()
		}
	}
	names := []string{`a <b> & "c\`, "  \u2028 é \u2029\u2027…", "tab\t \b\x01 line\n"}
	classes, roc := eval.NewEvaluation(3), eval.NewROCMultiClass(0)
	classes.Labels, roc.Labels = names, names
	for _, e := range []eval.Evaluator{classes, roc} {
		if err := e.Eval(labels, predictions, nil); err != nil {
			t.Fatal(err)
		}
	}
	line := func(state func(eval.Evaluator) any) map[string]any {
		of := func(e eval.Evaluator) map[string]any {
			return map[string]any{"state": state(e), "metrics": map[string]any{"f1": 0.5, "auc": "NaN"}}
		}
		return map[string]any{"event": "done", "saved": []string{"a&b"}, "<nothing>": map[string]any{}, "null": nil,
			"seconds": 1e-9,
			"outputs": map[string]map[string]any{"b": {"classification": of(classes)},
				"a<": {"roc-multiclass": of(roc), "confusion": [][]int64{{1, 2}}}}}
	}
	var want bytes.Buffer
	if err := json.NewEncoder(&want).Encode(line(func(e eval.Evaluator) any {
		b, err := eval.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return json.RawMessage(b)
	})); err != nil {
		t.Fatal(err)
	}
	var got pieces
	if err := Write(&got, line(func(e eval.Evaluator) any {
		return Document(func(w io.Writer) error { return eval.Write(w, e) })
	})); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		i := 0
		for i < min(got.Len(), want.Len()) && got.Bytes()[i] == want.Bytes()[i] {
			i++
		}
		t.Errorf("%d bytes, wanted %d; from byte %d on %.80q, wanted %.80q", got.Len(), want.Len(), i, got.Bytes()[i:],
			want.Bytes()[i:])
	}
	if got.largest > want.Len()/4 {
		t.Errorf("%d of %d bytes came at once", got.largest, want.Len())
	}
}
