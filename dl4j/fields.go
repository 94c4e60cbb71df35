package dl4j

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Inert keeps the values of members that Deeplearning4j writes and that have no effect here. It holds only values that
// differ from the usual ones, so its zero value stands for these. It is comparable.
type Inert struct{ text string }

// InertFields is implemented by structs with a field of type [Inert]. It returns the members that the field keeps, with
// the values that Deeplearning4j usually writes, as in a tree.
type InertFields interface{ InertFields() Object }

var inertType = reflect.TypeFor[Inert]()

// field is a field of a struct, as its tag describes it.
type field struct {
	name     string
	aliases  []string
	index    []int
	omitNull bool
	creator  bool
	zeroNull bool
}

// structFields are the fields of a struct in the order of writing.
type structFields struct {
	list   []field
	byName map[string]int
	inert  []int // index of the field of type Inert; nil if there is none
}

var fieldCache sync.Map // reflect.Type to *structFields

func fieldsOf(t reflect.Type) *structFields {
	if f, ok := fieldCache.Load(t); ok {
		return f.(*structFields)
	}
	f := &structFields{byName: map[string]int{}}
	f.collect(t, nil)
	slices.SortStableFunc(f.list, func(a, b field) int {
		switch {
		case a.creator && b.creator:
			return 0
		case a.creator:
			return -1
		case b.creator:
			return 1
		}
		return cmp.Compare(a.name, b.name)
	})
	for i, x := range f.list {
		for _, n := range append([]string{x.name}, x.aliases...) {
			if _, twice := f.byName[n]; twice {
				panic(fmt.Sprintf("dl4j: %v has two fields named %s", t, n))
			}
			f.byName[n] = i
		}
	}
	if _, ok := reflect.Zero(t).Interface().(InertFields); ok != (f.inert != nil) {
		panic(fmt.Sprintf("dl4j: %v needs both a method InertFields (of the value) and a field of type dl4j.Inert, or "+
			"neither", t))
	}
	kept, _ := fieldCache.LoadOrStore(t, f)
	return kept.(*structFields)
}

func (f *structFields) collect(t reflect.Type, index []int) {
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(slices.Clone(index), i)
		tag, tagged := sf.Tag.Lookup("dl4j")
		switch {
		case sf.Type == inertType:
			if f.inert == nil {
				f.inert = at
			}
			continue
		case !tagged && sf.Anonymous && sf.Type.Kind() == reflect.Struct:
			f.collect(sf.Type, at)
			continue
		case !tagged:
			continue
		case !sf.IsExported():
			panic(fmt.Sprintf("dl4j: %v.%s has a tag but is not exported", t, sf.Name))
		}
		parts := strings.Split(tag, ",")
		x := field{name: parts[0], index: at}
		for _, option := range parts[1:] {
			switch alias, isAlias := strings.CutPrefix(option, "alias="); {
			case isAlias:
				x.aliases = append(x.aliases, alias)
			case option == "omitnull":
				x.omitNull = true
			case option == "zeronull":
				x.zeroNull = true
			case option == "creator":
				x.creator = true
			default:
				panic(fmt.Sprintf("dl4j: %v.%s: unknown option %q in its tag", t, sf.Name, option))
			}
		}
		f.list = append(f.list, x)
	}
}
