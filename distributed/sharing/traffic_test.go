package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/programtest"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/threshold"
)

// traffic returns the bytes that crossed to a test's device, and from it.
var traffic = func(x program.Executor) (there, back int) {
	a := x.(*programtest.Apart)
	return a.There, a.Back
}

// traded are the bytes that f moves to a device and back.
func traded(x program.Executor, f func()) (there, back int) {
	a, b := traffic(x)
	f()
	there, back = traffic(x)
	return there - a, back - b
}

// A step of gradient sharing with a release sends to the device: the minibatch, as in plain training; the places of a
// sample and the thresholds; and the values of the release with a few bits for each parameter. It brings back: the
// score, the sample, and six numbers for each 16 parameters. All bytes are counted.
func TestTrafficOfAStep(t *testing.T) {
	const sample = 1024
	x := deviceExecutor(t)
	net := network(t, "mlp", 3)
	c := config()
	c.ThresholdAlgorithm = threshold.Largest{Share: 0.1}
	l := newLockstep(t, net, singles(digits(t, "train").Range(0, 320)), 2, c, threshold.Options{})
	layers := sections(net.Base(), LayerThresholds)
	sum := &release{sum: threshold.NewSum(l.replicas[0].coder, net.NumParams()), writer: l.replicas[0].writer}
	for _, r := range l.replicas {
		r.conf.Summed = true
		r.net.SetExecutor(x)
		if err := r.toDevice(); err != nil {
			t.Fatal(err)
		}
	}
	var m threshold.Message
	var moved, there, back int
	for o := range uint32(4) {
		for w, r := range l.replicas {
			a, b := traded(x, func() {
				out := r.step(coordination.Train{Partition: uint32(w), Ordinal: o})
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				if err := (&decoded{payload: slices.Clone(out.Payload)}).into(sum, net.NumParams()); err != nil {
					t.Fatal(err)
				}
			})
			if w == 0 {
				there, back = a, b
			}
		}
		if o == 3 {
			break
		}
		payload, _ := sum.end(&m)
		moved = m.Count
		for _, r := range l.replicas {
			if err := r.Apply(&coordination.Entry{Kind: coordination.SumEntry, Payload: payload}); err != nil {
				t.Fatal(err)
			}
		}
	}

	words, samples, places, from := 0, 0, 0, 0
	for _, end := range layers {
		n := end - from
		words += (n + 15) / 16
		samples += min(n, sample)
		if n > sample {
			places += sample
		}
		from = end
	}
	groups := (net.NumParams() + 16*24 - 1) / (16 * 24)
	values := 16 // the next number of the form 2^k or 3·2^k
	for k := 16; values < moved; k *= 2 {
		if values = k + k/2; values < moved {
			values = 2 * k
		}
	}
	trainThere, trainBack := plainTraffic(t, x, l.replicas[1].net)
	wantThere := trainThere + 4*(2+places) + 4*3*len(layers) + 4*(17*groups+values)
	wantBack := trainBack + 4*(len(layers)+samples) + 4*6*words
	if there != wantThere || back != wantBack {
		t.Errorf("a step sends %d bytes and brings back %d, want %d and %d", there, back, wantThere, wantBack)
	}
	n := net.NumParams()
	t.Logf("%d parameters, %d of them moved: %d bytes to the device, %d of them the minibatch; %d bytes from it; "+
		"the parameters are %d bytes", n, moved, there, trainThere, back, 4*n)
	if there >= trainThere+4*n/2 {
		t.Errorf("a step sends %d bytes, half of the parameters are %d", there, 2*n)
	}
}

// plainTraffic returns the bytes that a step of plain training moves.
func plainTraffic(t *testing.T, x program.Executor, net *nn.Network) (there, back int) {
	t.Helper()
	plain := net.Copy()
	defer plain.Close()
	plain.SetExecutor(x)
	m := digits(t, "train").Range(0, config().Minibatch())
	for range 2 { // the first one sends the parameters
		there, back = traded(x, func() {
			if _, err := plain.Fit(m, nn.Key{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	return there, back
}
