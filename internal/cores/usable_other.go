//go:build !linux

package cores

// Usable returns which processors the calling thread may use: only Linux says it.
func Usable() (may func(processor int) bool, ok bool) { return nil, false }
