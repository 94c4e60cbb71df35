//go:build !noasm

package kernel

import (
	"sync"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"
)

// HasAMX reports whether the kernels of AVX512 have products of bfloat16 with AMX. Its first call asks Linux for the
// permission to use tiles, which holds for all threads of this process. The signal stacks of Go have room for them.
func HasAMX() bool { return HasBF16() && tiles() }

var tiles = sync.OnceValue(func() bool {
	const requestPermission, tileData = 0x1023, 18 // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXBF16 {
		return false
	}
	_, _, failed := unix.RawSyscall(unix.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return failed == 0
})
