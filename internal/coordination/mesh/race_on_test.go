//go:build race

package mesh

// detector is the factor by which the race detector raises a program's memory use.
const detector = 8
