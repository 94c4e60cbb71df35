//go:build xla && linux && (amd64 || arm64)

package pjrt

import (
	"errors"
	"os"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
)

// failing makes a plugin whose runs fail with an error, as those of a GPU do: at the start of a run, or where it is
// awaited.
type failing struct {
	real    table
	text    []byte
	code    int32
	awaited bool
}

// handle stands for the error.
const handle = 8

// into replaces functions of a plugin.
func (f *failing) into(p *Plugin) {
	f.real = *p.api
	with := f.real
	pass := func(function int, args uintptr) uintptr {
		result, _, _ := purego.SyscallN(f.real.functions[function], args)
		return result
	}
	replace := func(function int, by func(args uintptr) (uintptr, bool)) {
		with.functions[function] = purego.NewCallback(func(args uintptr) uintptr {
			if result, done := by(args); done {
				return result
			}
			return pass(function, args)
		})
	}
	replace(loadedExecute, func(uintptr) (uintptr, bool) { return handle, !f.awaited })
	replace(eventAwait, func(uintptr) (uintptr, bool) { return handle, f.awaited })
	replace(errorMessage, func(args uintptr) (uintptr, bool) {
		a := at[messageArgs](args)
		if a.err != handle {
			return 0, false
		}
		a.message, a.len = uintptr(unsafe.Pointer(&f.text[0])), uintptr(len(f.text))
		return 0, true
	})
	replace(errorGetCode, func(args uintptr) (uintptr, bool) {
		a := at[codeArgs](args)
		if a.err == handle {
			a.code = f.code
		}
		return 0, a.err == handle
	})
	replace(errorDestroy, func(args uintptr) (uintptr, bool) { return 0, at[errorArgs](args).err == handle })
	p.api = &with
}

const negation = `module @m {
func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32>) {
%0 = stablehlo.negate %arg0 : tensor<3xf32>
return %0 : tensor<3xf32>
}
}
`

// Errors of CUDA are faults of the device, unless the memory does not suffice or the call is wrong.
func TestFaultsOfAGPU(t *testing.T) {
	p, err := Load(os.Getenv("DL4GO_XLA_PLUGIN"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewClient(p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := c.Compile([]byte(negation), 0, CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	f := &failing{}
	f.into(p)
	for _, awaited := range []bool{false, true} {
		f.awaited = awaited
		for _, a := range []struct {
			code  int32
			text  string
			fault bool
		}{
			{internal, "INTERNAL: Failed to launch CUDA kernel: CUDA_ERROR_UNKNOWN: unknown error", true},
			{internal, "INTERNAL: CUDA error: could not synchronize: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC", true},
			{internal, "INTERNAL: CUDA error: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", true},
			{unavailable, "UNAVAILABLE: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy", true},
			{ResourceExhausted, "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1024 bytes", false},
			{3, "INVALID_ARGUMENT: Execution supplied 2 buffers but compiled program expected 1 buffers", false},
		} {
			f.code, f.text = a.code, []byte(a.text)
			b, wait, err := c.Upload(0, make([]byte, 12), Float32)
			if err != nil {
				t.Fatal(err)
			}
			if !f.awaited {
				if err := wait(); err != nil {
					t.Fatal(err)
				}
			}
			_, err = x.Run([]Buffer{b})
			if f.awaited && err == nil {
				err = x.Wait()
			}
			var e *Error
			if !errors.As(err, &e) || e.Code != int(a.code) || e.Message != a.text || e.Fault() != a.fault {
				t.Errorf("awaited %v: %#v, want code %d and the text %q", f.awaited, err, a.code, a.text)
			}
		}
	}
}
