package eval

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// A page is well-formed, requests nothing from elsewhere, escapes names, and does not grow with the examples.
func TestHTML(t *testing.T) {
	const n = 50_000
	r := rand.New(rand.NewPCG(1, 2))
	labels, predictions := tensor.New(n, 3), tensor.New(n, 3)
	for i := range n {
		labels.Data[3*i+r.IntN(3)] = 1
		for c := range 3 {
			predictions.Data[3*i+c] = (r.Float32() + labels.Data[3*i+c]) / 2
		}
	}
	roc := NewROCMultiClass(0)
	roc.Labels = []string{"<script>alert(1)</script>", "b & c", "d"}
	evals := []Evaluator{roc, NewEvaluationCalibration(), NewEvaluation(0), NewROC(0), NewEvaluationCalibration()}
	for _, e := range evals[:3] {
		if err := e.Eval(labels, predictions, nil); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := WriteHTML(&b, "a <b>", evals...); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if len(page) > 300_000 {
		t.Errorf("a page of %d examples has %d bytes", n, len(page))
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	elements := map[string]int{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		s, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		elements[s.Name.Local]++
		for _, a := range s.Attr {
			if a.Name.Local == "src" || a.Name.Local == "href" {
				t.Errorf("<%s> refers to %s", s.Name.Local, a.Value)
			}
			if colour := strings.HasPrefix(a.Value, "#"); colour && !slices.Contains(colours[:], a.Value) {
				t.Errorf("<%s %s=%s>: only what is drawn has a colour that is not the scheme's", s.Name.Local,
					a.Name.Local, a.Value)
			}
		}
	}
	if elements["script"] > 0 || elements["b"] > 0 {
		t.Error("a name was not escaped")
	}
	if elements["small"] != elements["figure"] {
		t.Errorf("of %d charts %d say how they are read", elements["figure"], elements["small"])
	}
	if elements["svg"] != 2+1+2*4 || elements["h2"] != len(evals) || elements["circle"] != 3*10 {
		t.Errorf("the page has %v", elements)
	}
}
