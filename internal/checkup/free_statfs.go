//go:build linux || darwin || freebsd

package checkup

import "syscall"

// Free returns the free space of a directory's file system in bytes, or -1 if it is not known.
func Free(dir string) int64 {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
