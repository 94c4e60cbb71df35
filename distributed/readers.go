package distributed

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
)

// LibSVM loads files in LIBSVM's format. The number of features is required, and, except for regression, the number or
// names of classes: a worker sees one file at a time.
func LibSVM(o source.LibSVM) Loader { return LoaderOf(o.Name("-"), source.Options{}) }

// LoaderOf loads files by a name, whose kind is a [source.FileReader]. The name's place does not matter.
func LoaderOf(n source.Name, o source.Options) Loader {
	return Loader{loadKind.With(filesOf{Name: n, For: o})}
}

// filesOf says how workers read files.
type filesOf struct {
	Name source.Name
	For  source.Options
	List *listOf `json:",omitempty"` // what a list says of the files; nil if there is none
}

// read calls each with the examples of a file, minibatch by minibatch. Errors name the path.
func (f filesOf) read(path string, content source.Content, each func(*data.MultiDataSet) error) error {
	k, _ := source.KindOf(f.Name.Kind)
	reader, ok := k.(source.FileReader)
	if !ok {
		return fmt.Errorf("%s: %w", path, unknownKind(f.Name))
	}
	err := reader.ReadFile(f.Name, f.For, path, content, func(m *data.MultiDataSet) error {
		if err := m.Validate(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return each(m)
	})
	if err != nil && !strings.Contains(err.Error(), path) {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// unknownKind is the error of a worker that does not know a kind of data.
func unknownKind(n source.Name) error {
	return fmt.Errorf("workers of this program can't read %s: data; register the kind in an init function of the program",
		n.Kind)
}

var loadKind = engine.Register("loader of a kind of data", func(t *engine.Task, f filesOf, in engine.Rows,
	out engine.Writer) error {
	return f.each(t, in, func(f filesOf, path string, content source.Content) error {
		var refused error // by the writer
		err := f.read(path, content, func(m *data.MultiDataSet) error {
			refused = writeExamples(out, m)
			return refused
		})
		if refused != nil {
			return refused
		}
		return engine.Permanent(err)
	})
})

// files spreads the files over partitions, as [ReadFiles] does.
func (f filesOf) files(e engine.Engine, paths []string, partitions int) *engine.Dataset {
	if !source.ReadsParts(f.Name) {
		return ReadFiles(e, paths, partitions)
	}
	if partitions <= 0 {
		partitions = e.Slots()
	}
	return engine.OpenFiles(e, spreadFiles(paths, partitions))
}
