//go:build race

package mesh

// detector is how many times more memory a program takes under the race detector.
const detector = 8
