package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// confused makes an evaluation from the counts of examples by actual and predicted class.
func confused(t *testing.T, counts [][]int) *Evaluation {
	t.Helper()
	n := len(counts)
	e := NewEvaluation(n)
	for actual, row := range counts {
		for predicted, count := range row {
			labels, predictions := tensor.New(1, n), tensor.New(1, n)
			labels.Data[actual], predictions.Data[predicted] = 1, 1
			for range count {
				if err := e.Eval(labels, predictions, nil); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return e
}

// TestHeatMap: cells have the counts and their share of the row; mistakes are listed by frequency.
func TestHeatMap(t *testing.T) {
	e := confused(t, [][]int{{6, 2, 0}, {0, 4, 0}, {5, 0, 5}})
	e.Labels = []string{"cat", "<script>", "dog"}
	var b strings.Builder
	if err := WriteHTML(&b, "page", e); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{`<td class="right" style="--share:66%" title="cat predicted as cat: 6 of 8, 75.0 %">6</td>`,
		`<td class="wrong" style="--share:27%" ` +
			`title="cat predicted as &lt;script&gt;: 2 of 8, 25.0 %">2</td>`,
		"<ol>\n<li>dog predicted as cat: 5 of 10, 50.0 %</li>\n" +
			"<li>cat predicted as &lt;script&gt;: 2 of 8, 25.0 %</li>\n</ol>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page, "<script>") || strings.Count(page, "<td></td>") != 4 {
		t.Error("a name was not escaped, or cells without examples are drawn")
	}
}

// TestHeatMapOfMany: if there are many classes, those with mistakes are drawn.
func TestHeatMapOfMany(t *testing.T) {
	counts := make([][]int, mostHeated+20)
	for i := range counts {
		counts[i] = make([]int, len(counts))
		counts[i][i] = 1
	}
	counts[55][58] = 3
	e := confused(t, counts)
	var b strings.Builder
	writeHeatMap(&b, e)
	page := b.String()
	if strings.Count(page, `<th scope="row">`) != mostHeated || !strings.Contains(page, "55 predicted as 58: 3 of 4") ||
		!strings.Contains(page, fmt.Sprintf("the %d of %d classes", mostHeated, len(counts))) {
		t.Error(page[:500])
	}
	var none strings.Builder
	if writeHeatMap(&none, NewEvaluation(3)); none.Len() > 0 {
		t.Error("an evaluation of nothing is drawn")
	}
}
