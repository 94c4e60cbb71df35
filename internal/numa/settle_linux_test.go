package numa

import (
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSockets: a processor is taken by one at a time.
func TestSockets(t *testing.T) {
	take := taker(filepath.Base(t.TempDir()) + t.Name())
	first, ok := take(7)
	if !ok {
		t.Fatal("the processor is not free")
	}
	if _, ok := take(7); ok {
		t.Error("two have the same processor")
	}
	other, ok := take(8)
	if !ok {
		t.Error("another processor is not free")
	}
	other()
	first()
	again, ok := take(7)
	if !ok {
		t.Fatal("the processor does not become free")
	}
	again()
}

// TestInterleave: the call does not change the memory, whatever part of pages it covers. On a machine with one node,
// Linux accepts a list of that one.
func TestInterleave(t *testing.T) {
	here := []Node{{Number: 0}}
	x := make([]float32, 1<<16)
	for i := range x {
		x[i] = float32(i)
	}
	if err := Interleave(x, here); err != nil {
		t.Log("this machine forbids it, and nothing else may happen:", err)
	}
	for _, part := range [][]float32{nil, x[:0], x[3:5], x[1:1030], x[7:]} {
		Interleave(part, here)
	}
	for i := range x {
		if x[i] != float32(i) {
			t.Fatal("element", i, "has changed to", x[i])
		}
	}
	if err := Interleave(x, []Node{{Number: most - 1}}); err == nil {
		t.Error("memory lies on a node that the machine lacks")
	}
}

// TestPin: all threads of the process are restricted, also those that come later.
func TestPin(t *testing.T) {
	var all unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	var one unix.CPUSet
	for p := range most {
		if all.IsSet(p) {
			one.Set(p)
			break
		}
	}
	defer pin(&all)
	if err := pin(&one); err != nil {
		t.Fatal(err)
	}
	seen := make(chan unix.CPUSet)
	for range 4 {
		go func() {
			runtime.LockOSThread() // and the thread ends with the goroutine
			var at unix.CPUSet
			unix.SchedGetaffinity(0, &at)
			seen <- at
		}()
	}
	for range 4 {
		if at := <-seen; at != one {
			t.Error("a thread runs on other processors")
		}
	}
	if err := pin(&all); err != nil {
		t.Error(err)
	}
	if Here() == nil { // of one node
		if on, ok := Settle(1); ok {
			t.Error("settled on", on)
		}
	}
}
