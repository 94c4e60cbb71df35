package keras

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/internal/hdf5"
)

// stored is a variable with its array in the file.
type stored struct {
	*variable
	array *hdf5.Array
}

// find opens the arrays of all variables, and compares their shapes. It reads no numbers.
func (a *archive) find(m *model) []stored {
	if a.zip {
		return a.byPlace(m, "")
	}
	return a.byName(m)
}

// byPlace finds arrays in a .keras file by the layers' groups and the arrays' numbers.
func (a *archive) byPlace(m *model, prefix string) (all []stored) {
	for _, l := range m.layers {
		if l.inner != nil {
			all = append(all, a.byPlace(l.inner, prefix+l.place+"/")...)
			continue
		}
		next := map[string]int{}
		for _, v := range l.vars {
			group := v.path[:len(v.path)-len(v.name)-1]
			path := fmt.Sprintf("%s%s/%s/%d", prefix, l.place, group, next[group])
			next[group]++
			all = append(all, stored{v, a.open(a.weights, path, v)})
		}
	}
	return all
}

// byName finds arrays in an HDF5 file. Each layer of the model has a group with its name, and the group's attribute
// weight_names lists the arrays, learned ones first.
func (a *archive) byName(m *model) (all []stored) {
	for _, l := range m.layers {
		vars := l.variables()
		if len(vars) == 0 {
			continue
		}
		learned := func(v *variable) bool { return v.learned && !v.layer.frozen }
		var list []*variable
		for _, first := range []bool{true, false} {
			for _, v := range vars {
				if learned(v) == first {
					list = append(list, v)
				}
			}
		}
		g, err := a.weights.Group(l.name)
		if err != nil {
			refuse("%s: its group of weights: %v", l.where, err)
		}
		names := texts(g, "weight_names")
		if len(names) != len(list) {
			refuse("%s: the file has %d arrays (weight_names) for it, and it needs %d", l.where,
				len(names), len(list))
		}
		for i, v := range list {
			all = append(all, stored{v, a.open(g, names[i], v)})
		}
	}
	return all
}

// texts returns a list of names. Keras splits a long list into several attributes.
func texts(g *hdf5.Group, name string) []string {
	a := must(g.Attribute(name))
	if a != nil {
		return must(a.Texts())
	}
	var all []string
	for i := range maxLayers {
		a := must(g.Attribute(fmt.Sprint(name, i)))
		if a == nil {
			break
		}
		all = append(all, must(a.Texts())...)
	}
	return all
}

// open opens an array, and compares its shape.
func (a *archive) open(g *hdf5.Group, path string, v *variable) *hdf5.Array {
	x, err := g.Array(path)
	if err != nil {
		refuse("%v: %v", v, err)
	}
	if got := x.Shape(); !sameShape(v.shape, got) {
		refuse("%v has the shape %v in the file (%s), and must have %v", v, got, x.Path(), v.shape)
	}
	if err := x.Held(); err != nil {
		refuse("%v: %v", v, err)
	}
	return x
}

func sameShape(want []int, got []uint64) bool {
	return slices.EqualFunc(want, got, func(n int, m uint64) bool { return uint64(n) == m })
}

// numbers reads an array.
func (s stored) numbers() []float32 {
	x, err := s.array.Floats()
	if err != nil {
		refuse("%v: %v", s.variable, err)
	}
	return x
}
