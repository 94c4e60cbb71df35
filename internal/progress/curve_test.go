package progress

import (
	"math"
	"testing"
)

func TestCurve(t *testing.T) {
	curve := func(x ...float64) *Curve {
		c := &Curve{}
		for _, v := range x {
			c.Add(v)
		}
		return c
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		of    *Curve
		cells int
		want  string
	}{{curve(), 5, ""}, {curve(3), 5, "▁"}, {curve(2, 2, 2), 5, "▁▁▁"}, {curve(0, 1, 2, 3, 4, 5, 6, 7), 9, "▁▂▃▄▅▆▇█"},
		{curve(0, 1, 2, 3, 4, 5, 6, 7), 4, "▁▃▆█"}, {curve(1, nan, 2, inf), 4, "▁×█×"}, {curve(nan), 4, "×"}} {
		if got := c.of.Text(c.cells); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	long := &Curve{}
	for i := range 1_000_000 {
		long.Add(float64(i))
	}
	if got := long.Text(8); got != "▁▂▃▄▅▆▇█" || len(long.means) > mostMeans {
		t.Errorf("%s of %d means", got, len(long.means))
	}
}
