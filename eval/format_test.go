package eval

import (
	"math"
	"testing"
)

// The wanted texts come from Java's String.format("%.4f", x).
func TestFixed(t *testing.T) {
	for x, want := range map[float64]string{
		1.0 / 32: "0.0313", 3.0 / 32: "0.0938", 5.0 / 32: "0.1563", 0.99995: "1.0000", 9.99995: "10.0000", 0.99994: "0.9999",
		0.12345: "0.1235", -0.00005: "-0.0001", 12: "12.0000", 1e-9: "0.0000", 0.00004999: "0.0000",
		math.NaN(): "NaN",
	} {
		if got := fixed(x, 4); got != want {
			t.Errorf("%v is printed as %s, want %s", x, got, want)
		}
	}
	if got := fixed(2.5, 0); got != "3" {
		t.Errorf("2.5 is printed as %s without digits", got)
	}
}
