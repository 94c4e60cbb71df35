//go:build !linux

package lease

// identify is not implemented on this system.
func identify() (numbered, started string) { return "", "" }

func gone(int, string) bool { return false }
