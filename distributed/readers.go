package distributed

import (
	"bytes"
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
func LoaderOf(n source.Name, o source.Options) Loader { return Loader{loadKind.With(filesOf{n, o})} }

// filesOf says how workers read files.
type filesOf struct {
	Name source.Name
	For  source.Options
}

// read calls each with the examples of a file, minibatch by minibatch. Errors name the path.
func (f filesOf) read(file engine.File, each func(*data.MultiDataSet) error) error {
	k, _ := source.KindOf(f.Name.Kind)
	reader, ok := k.(source.FileReader)
	if !ok {
		return fmt.Errorf("%s: workers of this program can't read %s: data; register the kind in an init function of the "+
			"program", file.Path, f.Name.Kind)
	}
	err := reader.ReadFile(f.Name, f.For, file.Path, bytes.NewReader(file.Content), func(m *data.MultiDataSet) error {
		if err := m.Validate(); err != nil {
			return fmt.Errorf("%s: %w", file.Path, err)
		}
		return each(m)
	})
	if err != nil && !strings.Contains(err.Error(), file.Path) {
		err = fmt.Errorf("%s: %w", file.Path, err)
	}
	return err
}

var loadKind = engine.Register("loader of a kind of data", func(_ *engine.Task, f filesOf, in engine.Rows,
	out engine.Writer) error {
	return eachFile(in, func(file engine.File) error {
		var refused error // by the writer
		err := f.read(file, func(m *data.MultiDataSet) error {
			refused = writeExamples(out, m)
			return refused
		})
		if refused != nil {
			return refused
		}
		return engine.Permanent(err)
	})
})
