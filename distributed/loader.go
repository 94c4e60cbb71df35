package distributed

import (
	"bytes"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
)

// Loader makes examples of files, on the workers. RegisterLoader makes one.
type Loader struct{ op engine.Op[struct{}] }

// SavedDataSets loads files of Deeplearning4j's DataSet.save and MultiDataSet.save.
var SavedDataSets = RegisterLoader("dl4j", func(path string, content io.Reader) (*data.MultiDataSet, error) {
	size := int64(-1)
	if r, ok := content.(*bytes.Reader); ok {
		size = r.Size()
	}
	m, err := data.Read(content, size)
	return m, dl4j.In(err, path, "")
})

// RegisterLoader makes a function that loads a file's examples known to driver and workers. Call it to initialise a
// package variable. The path is for messages and for what it says of the file: the engine has read the content from
// where it lies. Data without any example is fine. Errors are permanent: a file does not get better. A name that is
// taken panics.
func RegisterLoader(name string, load func(path string, content io.Reader) (*data.MultiDataSet, error)) Loader {
	op := func(_ *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
		for row, err := range engine.All(in) {
			if err != nil {
				return err
			}
			file, err := engine.FileOf(row)
			if err != nil {
				return err
			}
			m, err := load(file.Path, bytes.NewReader(file.Content))
			if err == nil && m == nil {
				err = fmt.Errorf("%s: loader %q gave no data set", file.Path, name)
			} else if err == nil {
				if err = m.Validate(); err != nil {
					err = fmt.Errorf("%s: loader %q gave a data set with %w", file.Path, name, err)
				}
			}
			if err != nil {
				return engine.Permanent(err)
			}
			for i := range m.Examples() {
				if err := out.Write(exampleRow(m, i)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return Loader{engine.Register("loader "+name, op)}
}
