//go:build !race

package mesh

const detector = 1
