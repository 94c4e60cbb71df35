package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// npyArrays reads several arrays together, row by row.
type npyArrays struct {
	o      npyOptions
	paths  []string // of the features, with the arrays' names in a .npz
	inputs []*npy.Reader
	label  string
	labels *npy.Reader // nil if there are none
	held   *tensor.Dense
	found  int // number of classes that were found in the labels; 0 if settings say it
	rows   int
	at     int
	files  []io.Closer
}

func openArrays(ctx context.Context, o npyOptions, unlabelled bool) (*npyArrays, error) {
	a := &npyArrays{o: o}
	open := a.openFiles
	if o.archive {
		open = a.openArchive
	}
	err := open(ctx, unlabelled)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// openFile opens a .npy file. It reads a file without a size, such as a pipe, into memory.
func (a *npyArrays) openFile(ctx context.Context, path string) (*npy.Reader, error) {
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	a.files = append(a.files, f)
	size, in := f.Size(), io.Reader(f)
	if size == 0 {
		all, err := storage.ReadWatched(ctx, path)
		if err != nil {
			return nil, err
		}
		size, in = int64(len(all)), bytes.NewReader(all)
	}
	r, err := npy.NewReader(bufio.NewReaderSize(in, 64<<10), size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func (a *npyArrays) openFiles(ctx context.Context, _ bool) (err error) {
	for _, path := range a.o.files {
		r, err := a.openFile(ctx, path)
		if err != nil {
			return err
		}
		a.paths, a.inputs = append(a.paths, path), append(a.inputs, r)
	}
	if a.label = a.o.labels; a.label != "" {
		a.labels, err = a.openFile(ctx, a.label)
	}
	return err
}

// openArchive opens arrays of a .npz: those with the given names, or x and y.
func (a *npyArrays) openArchive(ctx context.Context, unlabelled bool) error {
	path := a.o.files[0]
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return err
	}
	a.files = append(a.files, f)
	z, err := npy.OpenArchive(f, f.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	open := func(name string) (*npy.Reader, error) {
		r, in, err := z.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		a.files = append(a.files, in)
		return r, nil
	}
	features, label := a.o.archived(z.Names(), unlabelled)
	for _, name := range features {
		r, err := open(name)
		if err != nil {
			return a.o.untold(err)
		}
		a.paths, a.inputs = append(a.paths, path+": array "+name), append(a.inputs, r)
	}
	if label != "" {
		a.label = path + ": array " + label
		a.labels, err = open(label)
	}
	return err
}

// check compares the arrays' numbers of rows, whether they fit into memory, and decides whether labels are classes.
func (a *npyArrays) check() error {
	total, err := a.compare()
	if err == nil {
		err = checkup.Fits(4 * total)
	}
	if err != nil || a.labels == nil || !a.classified() || a.o.classes > 0 {
		return err
	}
	return a.findClasses()
}

// compare compares the arrays' numbers of rows, and returns the number of elements.
func (a *npyArrays) compare() (total int64, err error) {
	all, paths := a.inputs, a.paths
	if a.labels != nil {
		all, paths = append(slices.Clip(all), a.labels), append(slices.Clip(paths), a.label)
	}
	for i, r := range all {
		shape := r.Shape()
		switch {
		case len(shape) == 0:
			return 0, fmt.Errorf("%s: it is one number: an array with a row for each example is needed", paths[i])
		case shape[0] == 0:
			return 0, fmt.Errorf("%s: there are no examples in it", paths[i])
		case i == 0:
			a.rows = shape[0]
		case shape[0] != a.rows:
			return 0, fmt.Errorf("%s: it has %d rows, and %s has %d", paths[i], shape[0], paths[0], a.rows)
		}
		total += int64(shape.Size())
	}
	return total, nil
}

// classified reports whether labels are numbers of classes.
func (a *npyArrays) classified() bool {
	shape := a.labels.Shape()
	flat := len(shape) == 1 || len(shape) == 2 && shape[1] == 1
	return flat && !a.o.regression && (a.labels.Integers() || a.o.classes > 0)
}

// findClasses reads all labels to find the number of classes.
func (a *npyArrays) findClasses() error {
	held, err := a.labels.Rows(a.rows)
	if err != nil {
		return fmt.Errorf("%s: %w", a.label, err)
	}
	a.held = held
	a.found, err = a.classesOf(held, 0)
	a.o.classes = a.found
	return err
}

// classesOf returns the number of classes of some labels, the first of which is that of a row.
func (a *npyArrays) classesOf(labels *tensor.Dense, row int) (int, error) {
	most := float32(0)
	for i, y := range labels.Data {
		if y < 0 || y >= maxClasses {
			return 0, fmt.Errorf("%s: row %d: the label %v is not a class from 0 to %d: regression=true takes labels as numbers",
				a.label, row+i+1, y, maxClasses-1)
		}
		most = max(most, y)
	}
	return int(most) + 1, nil
}

// Info describes the rows.
func (a *npyArrays) Info() Info {
	if a.o.pixels {
		info := imageInfo("", a.inputs[0].Shape(), a.o.classes)
		if a.labels == nil {
			info.Classes, info.Labels, info.Schema = 0, nil, nil
		}
		return info
	}
	info := Info{Examples: a.rows}
	for _, r := range a.inputs {
		info.Features = append(info.Features, rowShape(r))
	}
	if x := info.Features[0]; len(x) == 3 {
		info.Image = &Image{Channels: x[0], Height: x[1], Width: x[2]}
	}
	switch {
	case a.labels == nil:
	case a.classified():
		info.Classes, info.LabelNames = a.o.classes, a.o.names
		info.Labels = []tensor.Shape{{a.o.classes}}
		info.Schema = &data.Schema{Classes: classNames(a.o.names, a.o.classes)}
		info.ClassesFound = a.found > 0
	default:
		info.Labels = []tensor.Shape{rowShape(a.labels)}
	}
	return info
}

// rowShape returns the shape of an example: [1] if the array has one number for each.
func rowShape(r *npy.Reader) tensor.Shape {
	shape := r.Shape()
	if len(shape) == 1 {
		return tensor.Shape{1}
	}
	return shape[1:].Clone()
}

// next reads the next rows.
func (a *npyArrays) next(n int) (*data.MultiDataSet, error) {
	if a.at == a.rows {
		return nil, io.EOF
	}
	n = min(n, a.rows-a.at)
	m := &data.MultiDataSet{}
	for i, r := range a.inputs {
		x, err := r.Rows(n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.paths[i], err)
		}
		if a.o.pixels {
			m.Features = append(m.Features, ofPixels(x))
			continue
		}
		m.Features = append(m.Features, &tensor.Dense{Shape: append(tensor.Shape{n}, rowShape(r)...), Data: x.Data})
	}
	if a.labels != nil {
		y, err := a.nextLabels(n)
		if err != nil {
			return nil, err
		}
		m.Labels = []*tensor.Dense{y}
		if a.classified() {
			m.LabelNames = a.o.names
		}
	}
	a.at += n
	return m, nil
}

func (a *npyArrays) nextLabels(n int) (y *tensor.Dense, err error) {
	if a.held != nil {
		y = a.held.Slice(a.at, a.at+n)
	} else if y, err = a.labels.Rows(n); err != nil {
		return nil, fmt.Errorf("%s: %w", a.label, err)
	}
	if !a.classified() {
		return &tensor.Dense{Shape: append(tensor.Shape{n}, rowShape(a.labels)...), Data: y.Data}, nil
	}
	out := tensor.New(n, a.o.classes)
	for i, class := range y.Data {
		if class < 0 || class >= float32(a.o.classes) || class != float32(int(class)) {
			return nil, fmt.Errorf("%s: row %d: the label %v is none of %d classes, 0 to %d", a.label, a.at+i+1, class,
				a.o.classes,
				a.o.classes-1)
		}
		out.Data[i*a.o.classes+int(class)] = 1
	}
	return out, nil
}

// Live returns false, as all files are complete.
func (a *npyArrays) Live() bool { return false }

// Next reads the next row.
func (a *npyArrays) Next() (*data.MultiDataSet, error) { return a.next(1) }

// Close closes the files.
func (a *npyArrays) Close() error {
	var errs []error
	for _, f := range slices.Backward(a.files) {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
