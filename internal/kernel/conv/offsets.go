//go:build (amd64 || arm64) && !noasm

package conv

import "unsafe"

// The offsets of dot's fields in the assembly; a field at another offset does not compile.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.A)-0]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.B)-24]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.C)-48]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.ARow)-72]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.AGroup)-80]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.BRow)-88]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.BGroup)-96]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.CRow)-104]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.Rows)-112]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.Cols)-120]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.N)-128]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.Groups)-136]
	_ = [1]struct{}{}[unsafe.Offsetof(dot{}.Add)-144]

	_ = [1]struct{}{}[unsafe.Offsetof(window{}.A)-0]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.B)-24]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.C)-48]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.Start)-72]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.Offsets)-96]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.BNext)-120]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.CNext)-128]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.CRow)-136]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.Rows)-144]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.K)-152]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.Cols)-160]
	_ = [1]struct{}{}[unsafe.Offsetof(window{}.Add)-176]
)
