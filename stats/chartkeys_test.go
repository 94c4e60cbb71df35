package stats

import (
	"os"
	"testing"

	"github.com/dop251/goja"
)

// chartPage is a page with one chart of three points, and a function that presses a key and returns what the chart
// says.
const chartPage = `
const element = () => ({ dataset: {}, children: [], setAttribute() {}, removeAttribute() {}, textContent: '',
	appendChild(e) { this.children.push(e); return e; } });
const listeners = {}, line = element(), holder = element(), svg = element();
line.dataset = { label: 'loss', points: '10,5,100,0.9;20,4,200,0.5;30,3,300,0.2' };
svg.parentNode = holder;
svg.querySelectorAll = () => [line];
svg.addEventListener = (name, f) => { listeners[name] = f; };
const document = { querySelectorAll: () => [svg], createElement: element, createElementNS: element };
const press = (key) => { listeners.keydown({ key, preventDefault() {} }); return holder.children[0].textContent; };
`

// TestChartKeys: the arrow keys begin at the end where they come from, stop at the other one, and Escape hides the
// values.
func TestChartKeys(t *testing.T) {
	script, err := os.ReadFile("page/chart.js")
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	if _, err := vm.RunString(chartPage + string(script)); err != nil {
		t.Fatal(err)
	}
	first, second, last := "iteration 100: loss 0.9", "iteration 200: loss 0.5", "iteration 300: loss 0.2"
	for i, c := range []struct{ key, says string }{{"ArrowRight", first}, {"ArrowLeft", first}, {"ArrowRight", second},
		{"x", second}, {"End", last}, {"ArrowRight", last}, {"Escape", ""}, {"ArrowLeft", last}, {"Home", first}} {
		got, err := vm.RunString("press('" + c.key + "')")
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != c.says {
			t.Errorf("key %d, %s: the chart says %q, want %q", i, c.key, got, c.says)
		}
	}
}
