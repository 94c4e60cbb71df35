package distributed

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
)

// Loader makes examples from files, on the workers (Deeplearning4j: DataSetLoader, MultiDataSetLoader). RegisterLoader
// makes one.
type Loader struct{ step engine.Step }

// SavedDataSets loads files of Deeplearning4j's DataSet.save and MultiDataSet.save.
var SavedDataSets = RegisterLoader("dl4j", func(path string, content io.Reader) (*data.MultiDataSet, error) {
	size := int64(-1)
	if r, ok := content.(*bytes.Reader); ok {
		size = r.Size()
	}
	m, err := data.Read(content, size)
	return m, dl4j.In(err, path, "")
})

// RegisterLoader registers a function that loads the examples of a file, as a *data.DataSet or a *data.MultiDataSet, on
// driver and workers. Call it to initialise a package variable. The engine reads the content. The path is for messages,
// and for information in the name of the file. A file may have no examples. An error is permanent, and is reported with
// the path. RegisterLoader panics if the name is taken.
func RegisterLoader[D *data.DataSet | *data.MultiDataSet](name string, load func(path string, content io.Reader) (D,
	error)) Loader {
	op := func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		return eachFile(in, func(file engine.File) error {
			d, err := load(file.Path, bytes.NewReader(file.Content))
			if err != nil {
				if !strings.Contains(err.Error(), file.Path) {
					err = fmt.Errorf("%s: %w", file.Path, err)
				}
				return engine.Permanent(err)
			}
			m, _ := any(d).(*data.MultiDataSet)
			if single, ok := any(d).(*data.DataSet); ok && single != nil {
				m = single.Multi()
			}
			if m == nil {
				return engine.Permanent(fmt.Errorf("%s: loader %q gave no data set", file.Path, name))
			}
			if err := m.Validate(); err != nil {
				return engine.Permanent(fmt.Errorf("%s: loader %q gave a data set with %w", file.Path, name, err))
			}
			return writeExamples(out, m)
		})
	}
	return Loader{engine.Register("loader "+name, op).With(struct{}{})}
}

// eachOpened calls f with each file, opened.
func eachOpened(t *engine.Task, in engine.Rows, f func(path string, content source.Content) error) error {
	return eachFile(in, func(file engine.File) error { return opened(t, file, f) })
}

// opened calls f with a file, opened.
func opened(t *engine.Task, file engine.File, f func(path string, content source.Content) error) error {
	content, err := t.Open(file)
	if err != nil {
		return err
	}
	err = f(file.Path, content)
	if changed := content.Close(); err == nil {
		err = changed
	}
	return err
}

func eachFile(in engine.Rows, f func(engine.File) error) error {
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		file, err := engine.FileOf(row)
		if err != nil {
			return err
		}
		if err := f(file); err != nil {
			return err
		}
	}
	return nil
}
