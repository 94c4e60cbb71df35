package numatest

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Pages counts the whole pages of x by their node.
func Pages(t testing.TB, x []float32) map[int]int {
	t.Helper()
	page := uintptr(os.Getpagesize())
	at := uintptr(unsafe.Pointer(unsafe.SliceData(x)))
	on := map[int]int{}
	for p := (at + page - 1) &^ (page - 1); p+page <= at+4*uintptr(len(x)); p += page {
		var node int32
		_, _, errno := unix.Syscall6(unix.SYS_GET_MEMPOLICY, uintptr(unsafe.Pointer(&node)), 0, 0, p,
			unix.MPOL_F_NODE|unix.MPOL_F_ADDR, 0)
		if errno != 0 {
			t.Fatal("get_mempolicy:", errno)
		}
		on[int(node)]++
	}
	return on
}
