package cores

import "golang.org/x/sys/unix"

// Usable returns which processors the calling thread may use.
func Usable() (may func(processor int) bool, ok bool) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil, false
	}
	return set.IsSet, true
}
