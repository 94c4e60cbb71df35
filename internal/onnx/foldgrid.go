package onnx

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/onnxfile"
)

// foldGrid computes a Reshape, a Transpose or a Slice of whole numbers. Exporters write the pads of an image as rows of
// two, which they turn around and transpose.
func foldGrid(r *reader, n *onnxfile.Node, c *constant, x []int64) (*constant, error) {
	dims := narrowed(c.shape())
	if total, ok := elements(dims, maxFolded); !ok || total != len(x) {
		return nil, errors.New("whole numbers have unknown dimensions")
	}
	switch n.Op {
	case "Reshape":
		extents, err := shapeFor(r, n, wide(dims))
		if err != nil {
			return nil, err
		}
		to := narrowed(extents)
		if total, ok := elements(to, maxFolded); !ok || total != len(x) {
			return nil, fmt.Errorf("%v cannot have the shape %v", dims, to)
		}
		return gridOf(x, to), nil
	case "Transpose":
		perm, err := permutation(n, len(dims))
		if err != nil {
			return nil, err
		}
		out, to := make([]int64, len(x)), make([]int, len(dims))
		for i, place := range places(dims, perm) {
			out[i] = x[place]
		}
		for i, p := range perm {
			to[i] = dims[p]
		}
		return gridOf(out, to), nil
	}
	return sliceGrid(r, n, x, dims)
}

// gridOf returns whole numbers with dimensions.
func gridOf(x []int64, dims []int) *constant {
	c := &constant{sizes: x, scalar: len(dims) == 0}
	if x == nil {
		c.sizes = []int64{}
	}
	if len(dims) > 1 {
		c.grid = dims
	}
	return c
}

// sliceGrid takes a range of whole numbers, forwards or backwards.
func sliceGrid(r *reader, n *onnxfile.Node, x []int64, dims []int) (*constant, error) {
	lists, err := sliceLists(r, n)
	if err != nil {
		return nil, err
	}
	if len(lists[0]) != 1 || lists[3] != nil && lists[3][0] != 1 && lists[3][0] != -1 {
		return nil, errors.New("a range of one axis, in steps of 1 or −1, should be taken")
	}
	at, err := axisIndex(lists[2][0], len(dims))
	if err != nil {
		return nil, err
	}
	size := dims[at]
	var take []int
	if lists[3] != nil && lists[3][0] < 0 {
		first, end := lists[0][0], lists[1][0]
		if first < 0 {
			first += int64(size)
		}
		if end < 0 {
			end += int64(size)
		}
		for i := min(first, int64(size)-1); i > max(end, -1); i-- {
			take = append(take, int(i))
		}
	} else {
		for i, end := within(lists[0][0], size), within(lists[1][0], size); i < end; i++ {
			take = append(take, i)
		}
	}
	outer, _ := elements(dims[:at], len(x))
	inner, _ := elements(dims[at+1:], len(x))
	out := []int64{}
	for o := range outer {
		for _, i := range take {
			out = append(out, x[(o*size+i)*inner:][:inner]...)
		}
	}
	to := append([]int{}, dims...)
	to[at] = len(take)
	return gridOf(out, to), nil
}
