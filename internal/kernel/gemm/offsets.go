//go:build (amd64 || arm64) && !noasm

package gemm

import "unsafe"

// The offsets of Tile's fields in the assembly; a field at another offset does not compile.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.A)-0]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.B)-24]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.C)-48]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Start)-72]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.ARow)-96]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.ACol)-104]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.BRow)-112]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.CRow)-120]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Rows)-128]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Cols)-136]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.K)-144]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Alpha)-152]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Beta)-156]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.Next)-160]
	_ = [1]struct{}{}[unsafe.Offsetof(Tile{}.NextStep)-184]
)
