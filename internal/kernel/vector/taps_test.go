package vector

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
)

// TestTaps: Taps has the bits of Axpy for one tap after the other, at odd lengths and offsets and with NaN, infinities
// and zeros of both signs.
func TestTaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	special := []float32{nan, float32(math.Inf(1)), 0, float32(math.Copysign(0, -1)), math.MaxFloat32}
	for _, v := range kernel.Available() {
		k := For(v)
		for n := range 150 {
			const reach = 40
			x := make([]float32, n+reach+3)[3:]
			for i := range x {
				if x[i] = rng.Float32()*8 - 4; rng.IntN(50) == 0 {
					x[i] = special[rng.IntN(len(special))]
				}
			}
			at, w := make([]int32, n%12), make([]float32, n%12)
			for i := range at {
				at[i], w[i] = int32(rng.IntN(reach+1)), rng.Float32()*2-1
			}
			s := special[2+n%2]
			want := make([]float32, n)
			k.Fill(want, s)
			for i, off := range at {
				k.Axpy(want, x[off:][:n], w[i])
			}
			got, intact := guarded(n, n%17)
			if k.Taps(got, x, at, w, s); !intact() {
				t.Fatalf("%v, length %d: wrote outside of dst", v, n)
			}
			for i := range got {
				if !sameBits(got[i], want[i]) {
					t.Fatalf("%v, length %d, %d taps: element %d is %v, want %v", v, n, len(at), i, got[i], want[i])
				}
			}
		}
	}
}

func TestUnzipAndZip(t *testing.T) {
	for _, v := range kernel.Available() {
		k := For(v)
		for n := range 75 {
			a, back := make([]float32, 2*n+1)[1:], make([]float32, 2*n)
			for i := range a {
				a[i] = float32(i)
			}
			even, evenIntact := guarded(n, n%17)
			odd, oddIntact := guarded(n, (n+5)%17)
			if k.Unzip(even, odd, a); !evenIntact() || !oddIntact() {
				t.Fatalf("%v, %d pairs: wrote outside of the results", v, n)
			}
			for i := range n {
				if even[i] != float32(2*i) || odd[i] != float32(2*i+1) {
					t.Fatalf("%v, %d pairs: pair %d is %v, %v", v, n, i, even[i], odd[i])
				}
			}
			if k.Zip(back, even, odd); fmt.Sprint(back) != fmt.Sprint(a) {
				t.Fatalf("%v, %d pairs: zipped to %v", v, n, back)
			}
		}
	}
}

func TestTapsCheckTheirOperands(t *testing.T) {
	for _, v := range kernel.Available() {
		k, x := For(v), make([]float32, 9)
		for name, f := range map[string]func(){
			"beyond":  func() { k.Taps(x[:3], make([]float32, 5), []int32{3}, x[:1], 0) },
			"before":  func() { k.Taps(x[:3], make([]float32, 5), []int32{-1}, x[:1], 0) },
			"weights": func() { k.Taps(x[:3], make([]float32, 5), []int32{1}, x[:2], 0) },
			"unzip":   func() { k.Unzip(x[:3], x[3:6], x[:5]) },
			"zip":     func() { k.Zip(x[:5], x[:3], x[3:6]) },
			"rows":    func() { k.SoftmaxGrad(x[:4], x[:4], x[4:8], 3, 1) },
			"lengths": func() { k.SoftmaxGrad(x[:4], x[:4], x[4:9], 2, 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%v, %s: no panic", v, name)
					}
				}()
				f()
			}()
		}
	}
}
