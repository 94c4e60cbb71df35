package cpu

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// askForHugePages asks Linux for pages of 2 MiB. The processor's table of pages then covers far more memory, and a step
// of training passes through tens of megabytes. Where Linux has no huge pages, nothing changes. x may be memory of Go:
// the next owner of the same addresses may have huge pages, too.
func askForHugePages(x []float32) {
	const page = 2 << 20
	if 4*len(x) < 2*page {
		return
	}
	start := unsafe.Pointer(unsafe.SliceData(x))
	at := uintptr(start)
	from, to := (at+page-1)&^(page-1), (at+4*uintptr(len(x)))&^(page-1)
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(start, from-at)), to-from), unix.MADV_HUGEPAGE) // a hint
}
