//go:build !linux

package numa

// Settle does nothing on this system.
func Settle(int) (on Node, ok bool) { return Node{}, false }

// Interleave does nothing on this system, where no process has several nodes.
func Interleave([]float32, []Node) error { return nil }
