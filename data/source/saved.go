package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// Saved is a file of Deeplearning4j's DataSet.save or MultiDataSet.save, or a directory of such files. Each file is an
// object. Files are read on demand.
type Saved struct {
	ctx   context.Context // of all requests
	info  Info
	paths []string
	bytes int64
}

// OpenSaved opens a file, or all files of a directory in the order of their names. It leaves out directories, and names
// that start with a dot or an underscore. It reads the files' shapes, not their data.
func OpenSaved(ctx context.Context, path string) (*Saved, error) { return openSaved(ctx, path) }

func openSaved(ctx context.Context, path string) (*Saved, error) {
	if path == "" {
		return nil, specf("a file or directory is needed: dl4j:FILE-OR-DIRECTORY")
	}
	files, isDir, err := storage.Files(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &Saved{ctx: ctx}
	for _, f := range files {
		if !isDir || !storage.Hidden(f.URL) {
			s.paths = append(s.paths, f.URL)
			s.bytes += f.Size
		}
	}
	if len(s.paths) == 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("there are no files in the directory")}
	}
	return s, s.describe(path)
}

// describe finds the shapes of the examples. It reads the first file, and the shapes of the features of all others.
func (s *Saved) describe(path string) error {
	var foreign []error
	shapes := make([]tensor.Shape, len(s.paths))
	for i, p := range s.paths {
		var err error
		if shapes[i], err = data.PeekShape(s.ctx, p); err != nil {
			foreign = append(foreign, err)
		}
	}
	if err := Foreign(len(s.paths), foreign); err != nil {
		return err
	}
	first, err := s.Object(0)
	if err != nil {
		return err
	}
	s.info = InfoOf("dl4j:"+path, first)
	s.info.Examples = 0
	for i, p := range s.paths {
		if err := s.info.Add(p, shapes[i], s.paths[0]); err != nil {
			foreign = append(foreign, err)
		}
	}
	if err := Foreign(len(s.paths), foreign); err != nil {
		return err
	}
	if s.info.Examples == 0 {
		return &fs.PathError{Op: "read", Path: path, Err: errors.New("there are no examples in it")}
	}
	return nil
}

// Foreign joins the errors of files that can't be used, because they can't be read, are not saved DataSets, or have
// other examples than the first. files is the number of all files. The error shows the first few errors and their
// number. It is nil if errs is empty.
func Foreign(files int, errs []error) error {
	const most = 5
	switch {
	case len(errs) == 0:
		return nil
	case files == 1:
		return errs[0]
	}
	more := ""
	if n := len(errs) - most; n > 0 {
		more = fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%d of %d files can't be used: %w%s", len(errs), files, joined(errs[:min(most, len(errs))]), more)
}

// joined are several errors in one line.
type joined []error

func (j joined) Unwrap() []error { return j }

func (j joined) Error() string {
	texts := make([]string, len(j))
	for i, err := range j {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// InfoOf describes a source by one of its minibatches.
func InfoOf(name string, m *data.MultiDataSet) Info {
	info := Info{Name: name, LabelNames: m.LabelNames, Examples: m.Examples(), Weighted: m.Weights != nil}
	for _, a := range m.Features {
		info.Features = append(info.Features, a.Shape[1:].Clone())
	}
	for _, a := range m.Labels {
		info.Labels = append(info.Labels, a.Shape[1:].Clone())
	}
	if x := info.Features[0]; len(x) == 3 {
		info.Image = &Image{Channels: x[0], Height: x[1], Width: x[2]}
	}
	if len(m.Labels) > 0 && oneHot(m.Labels[0]) {
		info.Classes = m.Labels[0].Shape[1]
	}
	if _, twice := data.Repeated(m.LabelNames); m.LabelNames != nil && len(m.LabelNames) == info.Classes && !twice {
		info.Schema = &data.Schema{Classes: m.LabelNames}
	}
	return info
}

// Add counts the examples of one more file. shape is the shape of its first features, beginning with the number of
// examples. Add fails if the examples differ from those of the first file, except in the lengths of time series.
func (i *Info) Add(path string, shape tensor.Shape, first string) error {
	want := i.Features[0]
	fits := len(shape) == len(want)+1
	for d := 0; fits && d < len(want); d++ {
		series := len(want) == 2 && d == 1 // lengths of time series may differ
		if shape[d+1] != want[d] && series {
			want[d] = -1
		}
		fits = shape[d+1] == want[d] || series
	}
	if !fits {
		return &dl4j.FormatError{Path: path, Offset: -1,
			Err: fmt.Errorf("an example's features have the shape %v, and in %s %v",
				shape[1:], first, want)}
	}
	i.Examples += shape[0]
	return nil
}

// oneHot reports whether each row, or each time step, is the one-hot vector of a class.
func oneHot(y *tensor.Dense) bool {
	if len(y.Shape) != 2 && len(y.Shape) != 3 || y.Shape[1] < 2 {
		return false
	}
	steps := 1
	if len(y.Shape) == 3 {
		steps = y.Shape[2]
	}
	for n := 0; n < y.Shape[0]; n++ {
		row := y.Data[n*y.RowSize() : (n+1)*y.RowSize()]
		for t := range steps {
			ones := 0
			for c := range y.Shape[1] {
				switch row[c*steps+t] {
				case 0:
				case 1:
					ones++
				default:
					return false
				}
			}
			if ones > 1 || ones == 0 && steps == 1 {
				return false
			}
		}
	}
	return true
}

// Info describes the data. The description of labels comes from the first file.
func (s *Saved) Info() Info { return s.info }

// Objects returns the number of files.
func (s *Saved) Objects() int { return len(s.paths) }

// Paths returns the files. The slice belongs to the source.
func (s *Saved) Paths() []string { return s.paths }

// Reader returns the name by which workers read the files.
func (s *Saved) Reader() Name { return Name{Kind: "dl4j"} }

// Bytes returns the total size of the files when they were listed.
func (s *Saved) Bytes() int64 { return s.bytes }

// Object reads file i.
func (s *Saved) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= len(s.paths) {
		return nil, fmt.Errorf("there is no file %d: there are %d", i, len(s.paths))
	}
	f, err := storage.OpenWatched(s.ctx, s.paths[i])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := data.Read(f, f.Size())
	return m, dl4j.In(err, s.paths[i], "")
}
