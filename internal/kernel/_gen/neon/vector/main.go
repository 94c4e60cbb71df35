// Command vector writes the kernels of package internal/kernel/vector for arm64.
package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

func main() {
	f := neon.New("words")
	for _, k := range elementwise {
		k.emit(f)
	}
	for _, r := range reductions {
		r.emit(f)
	}
	addRows(f)
	uniform(f)
	softmax(f)
	f.Generate()
}
