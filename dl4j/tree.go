package dl4j

// A tree is a JSON document: nil, bool, string, Number, []any or Object. Trees to be printed may also contain Go's
// integers and floats, []int64, []float64 and Deferred.
// Go's integers and floats, []int64, []float64 and Deferred as well.

// Deferred makes a part of a tree when it is written, so that a large tree is never completely in memory.
type Deferred func() (tree any, err error)

// Number is a JSON number with its text in the file.
type Number string

// Member is one member of an Object.
type Member struct {
	Name  string
	Value any
}

// Object is a JSON object. It keeps the order of its members.
type Object []Member

// Get returns a member's value, and whether the member exists.
func (o Object) Get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// Without returns the object without a member.
func (o Object) Without(name string) Object {
	var rest Object
	for _, m := range o {
		if m.Name != name {
			rest = append(rest, m)
		}
	}
	return rest
}
