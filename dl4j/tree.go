package dl4j

// A tree is a JSON document: nil, bool, string, Number, []any or Object. Trees that are built to be printed may hold
// Go's integers and floats, []int64, []float64 and Deferred as well.

// Deferred makes a part of a tree when it is printed, so that not all of a large one is in memory at once.
type Deferred func() (tree any, err error)

// Number is a JSON number as it stands in the file.
type Number string

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object; the order of its members is kept.
type Object []Member

// Get returns the member's value, and whether there is one.
func (o Object) Get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Without returns the object without that member, for values that read their own form.
func (o Object) Without(name string) Object {
	var rest Object
	for _, m := range o {
		if m.Name != name {
			rest = append(rest, m)
		}
	}
	return rest
}
