package source

import (
	"context"
	"path"
	"slices"
	"strings"
)

func init() { Register("npy", npyKind{}) }

// npyKind is npy:FILE,…?labels=FILE and npy:FILE.npz?inputs=NAME,…&labels=NAME.
type npyKind struct{}

func (npyKind) About() About {
	return About{
		Form: "npy:FILE,…?labels=FILE",
		Text: "NumPy's arrays, a row for each example",
		More: `Several files are several inputs. FILE.npz has arrays by name: inputs=NAME,… and labels=NAME choose them
(default x and y). Labels that are integers in one dimension are classes; regression=true takes numbers.`,
		Endings: []string{".npy", ".npz"},
		Settings: []Setting{
			{Name: "inputs", Value: "NAMES", Text: "arrays of a .npz", List: true, Rare: true},
			{Name: "labels", Value: "FILE", Text: "labels, or name in .npz", Rare: true},
			{Name: "classes", Value: "N", Text: "number of classes"},
			{Name: "names", Value: "LIST", Text: "the classes, in order", List: true},
			{Name: "regression", Text: "labels are numbers, not classes", Switch: true},
		},
	}
}

// npyOptions are the settings of a npy: name.
type npyOptions struct {
	files      []string // only one if it is a .npz
	archive    bool
	features   []string // names in a .npz
	labels     string   // a file, or a name in a .npz; empty if there are none
	classes    int
	names      []string
	regression bool
	pixels     bool // the arrays are those of idx: data
}

// arraysOf returns the settings of npy: or idx: data.
func arraysOf(n Name) (npyOptions, error) {
	if n.Kind == "idx" {
		return idxArrays(n)
	}
	return npyOf(n)
}

func npyOf(n Name) (o npyOptions, err error) {
	if n.Place == "" || n.Place == "-" {
		return o, specf("a file is needed: npy:FILE,…?labels=FILE")
	}
	o.files = Values(n.Place)
	isArchive := func(file string) bool { return strings.EqualFold(path.Ext(file), ".npz") }
	o.archive = isArchive(o.files[0])
	if slices.Contains(o.files, "") || len(o.files) > 1 && slices.ContainsFunc(o.files, isArchive) {
		return o, specf("%s: .npy files, or one .npz, should be here", n.Place)
	}
	if v, ok := n.Settings["inputs"]; ok {
		if !o.archive {
			return o, &SettingError{"inputs", v, "this names arrays of a .npz; .npy files stand before the question mark"}
		}
		o.features = Values(v)
	}
	o.labels = strings.TrimPrefix(n.Settings["labels"], "npy:")
	if o.classes, err = n.count("classes", noClasses); err != nil {
		return o, err
	}
	if v, ok := n.Settings["names"]; ok {
		o.names = Values(v)
	}
	regression, err := n.flag("regression")
	o.regression = regression != nil && *regression
	if err == nil && o.names != nil && o.classes > 0 && o.classes != len(o.names) {
		err = &SettingError{"classes", n.Settings["classes"], "names=… lists another number of classes"}
	}
	o.classes = max(o.classes, len(o.names))
	if err == nil && o.regression && o.classes > 0 {
		err = &SettingError{"regression", "true", "labels are numbers then, and classes are given"}
	}
	return o, err
}

func (npyKind) Check(n Name, _ Options) error {
	_, err := npyOf(n)
	return err
}

// forModel sets the classes of a model, and removes the labels if they are not wanted.
func (o npyOptions) forModel(to Options) npyOptions {
	if s := to.As; s != nil && s.Classes != nil && !o.regression && o.classes == 0 && !o.pixels {
		o.classes = len(s.Classes)
		if !s.Numbered() {
			o.names = s.Classes
		}
	}
	if to.Unlabelled {
		o.labels = ""
	}
	return o
}

// Open reads the arrays into memory.
func (npyKind) Open(ctx context.Context, n Name, to Options) (Source, error) {
	o, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	a, err := openArrays(ctx, o.forModel(to), to.Unlabelled)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	m, err := a.next(a.rows)
	if err != nil {
		return nil, err
	}
	info := a.Info()
	info.Name = n.String()
	return InMemory(info, m)
}

// openIn stores the rows on disk.
func (npyKind) openIn(ctx context.Context, n Name, to Options) (Source, error) {
	o, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	a, err := openArrays(ctx, o.forModel(to), to.Unlabelled)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	s, err := to.Room.storeStream(a, n.String())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Stream reads the arrays row by row.
func (npyKind) Stream(ctx context.Context, n Name, to Options) (Examples, error) {
	o, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	if o = o.forModel(to); !o.tells(to) {
		return nil, specf("classes=N is needed, or regression=true: the first rows of a stream need not have all classes")
	}
	return openArrays(ctx, o, to.Unlabelled)
}

// Streams is false if all labels are needed to know the classes.
func (npyKind) Streams(n Name, to Options) bool {
	o, err := npyOf(n)
	return err == nil && o.forModel(Options{Unlabelled: to.Unlabelled}).tells(to)
}

// tells reports whether the kind of the labels is known without reading all of them.
func (o npyOptions) tells(to Options) bool {
	return to.Unlabelled || !o.archive && o.labels == "" || o.regression || o.classes > 0
}
