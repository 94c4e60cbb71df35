package threshold

import (
	"syscall"
	"testing"
)

// atEnd returns n bytes that end at a page that nobody may read or write. At least as many bytes of 0xa5 are before
// them.
func atEnd(t *testing.T, n int) []byte {
	page := syscall.Getpagesize()
	size := (2*n + page) / page * page
	all, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(all) })
	if err := syscall.Mprotect(all[size:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for i := range size {
		all[i] = 0xa5
	}
	return all[size-n : size : size]
}
