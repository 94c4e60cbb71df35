//go:build linux && (amd64 || arm64)

package device

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/internal/xla/pjrt"
	"github.com/dl4go/dl4go/internal/xla/wire"
)

// A device that fails in a run is lost. One that lacks memory, that is asked for nonsense, or that can't compile a
// program is not.
func TestFailures(t *testing.T) {
	const internal, invalid = 13, 3
	run, compile, open := &wire.Request{Run: &wire.Run{}}, &wire.Request{Compile: &wire.Compile{}},
		&wire.Request{Open: &wire.Open{}}
	for _, c := range []struct {
		request         *wire.Request
		code            int
		lost, exhausted bool
	}{
		{run, internal, true, false},
		{&wire.Request{Get: []wire.Array{{}}}, internal, true, false},
		{run, pjrt.ResourceExhausted, false, true},
		{run, invalid, false, false},
		{compile, internal, false, false},
		{compile, pjrt.ResourceExhausted, false, true},
		{open, internal, false, false},
	} {
		const text = "INTERNAL: CUDA error: CUDA_ERROR_UNKNOWN: unknown error"
		a := failure(c.request, fmt.Errorf("the plugin: %w", &pjrt.Error{Code: c.code, Message: text}))
		if a.Lost != c.lost || a.Exhausted != c.exhausted || a.Error != "the plugin: "+text {
			t.Errorf("code %d of %+v: %+v", c.code, c.request, a)
		}
	}
}
