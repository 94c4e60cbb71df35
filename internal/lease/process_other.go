//go:build !linux

package lease

// identify can't tell here.
func identify() (numbered, started string) { return "", "" }

func gone(int, string) bool { return false }
