package shortnet

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/loss"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/vertex"
	"github.com/dl4go/dl4go/nn/weights"
)

// The interfaces whose values have names.
var (
	layerType        = reflect.TypeFor[layer.Layer]()
	vertexType       = reflect.TypeFor[vertex.Vertex]()
	activationType   = reflect.TypeFor[activation.Activation]()
	lossType         = reflect.TypeFor[loss.Loss]()
	initType         = reflect.TypeFor[weights.Init]()
	dropoutType      = reflect.TypeFor[regularization.Dropout]()
	scheduleType     = reflect.TypeFor[updater.Schedule]()
	preprocessorType = reflect.TypeFor[layer.Preprocessor]()
)

// affixes are the common endings of the class names of an interface.
var affixes = map[reflect.Type][]string{
	layerType: {"Layer"}, vertexType: {"Vertex"}, activationType: {"Activation"}, lossType: {"Loss"},
	initType:     {"WeightInit"},
	scheduleType: {"Schedule"}, preprocessorType: {"InputPreProcessor", "PreProcessor"},
	reflect.TypeFor[regularization.Constraint]():     {"Constraint"},
	reflect.TypeFor[regularization.Regularization](): {"Regularization"},
	reflect.TypeFor[weights.Distribution]():          {"Distribution"},
	reflect.TypeFor[layer.Reconstruction]():          {"ReconstructionDistribution"},
}

// aliases are additional names of layers.
var aliases = map[string][]string{
	"convolution": {"conv2D", "convolution2D"}, "convolution1D": {"conv1D"}, "convolution3D": {"conv3D"},
	"batchNormalization": {"batchNorm"}, "subsampling": {"pooling", "pooling2D"}, "subsampling1D": {"pooling1D"},
	"subsampling3D": {"pooling3D"}, "localResponseNormalization": {"lrn"},
}

// named is a class with its names.
type named struct {
	class string
	short string   // the name for writing
	names []string // all names for reading; case, _ and - are ignored
	table dl4j.Table
	base  dl4j.Object // the usual value, with its class; nil if it cannot be written
	list  []setting
}

// plainly removes characters that don't count in a name.
var plainly = strings.NewReplacer("_", "", "-", "")

func key(name string) string { return strings.ToLower(plainly.Replace(name)) }

// classTable holds the classes of an interface.
type classTable struct {
	all            []named
	byKey, byClass map[string]int
}

// known holds the classes of interfaces, a *classTable by reflect.Type.
var known sync.Map

// classes lists the classes of an interface.
func classes(t reflect.Type) []named { return tableOf(t).all }

func tableOf(t reflect.Type) *classTable {
	table, ok := dl4j.TableOf(t)
	if !ok {
		return &classTable{}
	}
	registered := table.Names()
	if of, ok := known.Load(t); ok && len(of.(*classTable).all) == len(registered) {
		return of.(*classTable)
	}
	of := &classTable{all: classesOf(t, table, registered), byKey: map[string]int{}, byClass: map[string]int{}}
	for i, c := range of.all {
		of.byClass[c.class] = i
		for _, n := range append([]string{c.short}, c.names...) {
			if _, taken := of.byKey[key(n)]; !taken {
				of.byKey[key(n)] = i
			}
		}
	}
	known.Store(t, of)
	return of
}

func classesOf(t reflect.Type, table dl4j.Table, registered []string) (all []named) {
	words := enumNames(t)
	for _, class := range registered {
		last := class[strings.LastIndexByte(class, '.')+1:]
		name := last
		for _, affix := range affixes[t] {
			if rest := strings.TrimSuffix(strings.TrimPrefix(name, affix), affix); rest != "" && rest != name {
				name = rest
				break
			}
		}
		n := named{class: class, short: lower(name), table: table}
		if w := words[class]; len(w) > 0 {
			n.short = strings.ToLower(w[0])
			n.names = w
		}
		n.names = append(append(n.names, name, last), aliases[n.short]...)
		v := n.usual()
		n.base, _ = treeOf(t, v).(dl4j.Object)
		n.list = settings(v)
		all = append(all, n)
	}
	return all
}

// lower changes the first letters of a name to lower case: LSTM becomes lstm, DenseLayer denseLayer, OCNNOutput
// ocnnOutput.
func lower(name string) string {
	r := []rune(name)
	n := 0
	for n < len(r) && unicode.IsUpper(r[n]) {
		n++
	}
	if n > 1 && n < len(r) && unicode.IsLower(r[n]) {
		n--
	}
	return strings.ToLower(string(r[:n])) + string(r[n:])
}

// enumNames returns the constants of Deeplearning4j's enums that stand for a class with its usual settings, the
// shortest first.
func enumNames(t reflect.Type) map[string][]string {
	names := map[string][]string{}
	for name, v := range constants(t) {
		table, _ := dl4j.TableOf(t)
		o, _ := treeOf(t, v).(dl4j.Object)
		class, _ := o.Get(table.Key())
		usual, ok := table.New(class.(string))
		if ok && sameTree(treeOf(t, usual), o) {
			names[class.(string)] = append(names[class.(string)], name)
		}
	}
	for _, n := range names {
		slices.SortFunc(n, func(a, b string) int {
			if len(a) != len(b) {
				return len(a) - len(b)
			}
			return strings.Compare(a, b)
		})
	}
	return names
}

// constants returns the values of Deeplearning4j's enum for an interface.
func constants(t reflect.Type) map[string]reflect.Value {
	all := map[string]reflect.Value{}
	add := func(names []string, of func(string) (any, error)) {
		for _, n := range names {
			if v, err := of(n); err == nil {
				all[n] = reflect.ValueOf(v)
			}
		}
	}
	switch t {
	case activationType:
		add(activation.Names(), func(n string) (any, error) { return activation.ByName(n) })
	case lossType:
		add(loss.Names(), func(n string) (any, error) { return loss.ByName(n) })
	case initType:
		add(weights.Names(), func(n string) (any, error) { return weights.ByName(n) })
	}
	return all
}

// find returns the class of a name. exact says that the name is the full name of the class.
func find(t reflect.Type, name string) (c named, exact, ok bool) {
	table := tableOf(t)
	if i, is := table.byClass[name]; is {
		return table.all[i], true, true
	}
	if i, is := table.byKey[key(name)]; is {
		return table.all[i], false, true
	}
	return c, false, false
}

// shortNames lists the names for writing.
func shortNames(t reflect.Type) (names []string) {
	for _, c := range classes(t) {
		names = append(names, c.short)
	}
	return names
}

// treeOf converts a value of an interface to a tree, with its class.
func treeOf(t reflect.Type, v reflect.Value) any {
	p := reflect.New(t)
	p.Elem().Set(v)
	text, err := dl4j.Marshal(p.Interface())
	if err != nil {
		return nil
	}
	tree, err := dl4j.Parse(string(text))
	if err != nil {
		return nil
	}
	return tree
}

// sameTree compares the written forms of trees.
func sameTree(a, b any) bool {
	x, errX := dl4j.Format(a)
	y, errY := dl4j.Format(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// usual returns a value of a class with the defaults of Go, not those of old files.
func (c named) usual() reflect.Value {
	v, _ := c.table.New(c.class)
	switch of := v.Interface().(type) {
	case layer.BatchNormalization:
		return reflect.ValueOf(layer.NewBatchNormalization())
	case layer.RepeatVector:
	case layer.Layer:
		t := reflect.TypeOf(of)
		_, literal := t.FieldByName("meant")
		if t.Kind() == reflect.Struct && t.PkgPath() == reflect.TypeFor[layer.Dense]().PkgPath() && !literal {
			return reflect.Zero(t)
		}
	}
	return v
}
