package data

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/tensor"
)

// Values of a DataSet file's first byte.
const (
	hasFeatures = 1 << iota
	hasLabels
	labelsAreFeatures // the same array object
	hasFeatureMask
	hasLabelMask
	hasMeta
	hasLabelNames
)

// maxArrays is the maximum number of arrays of a kind in the file of a MultiDataSet or a normalizer.
const maxArrays = 1024

// ReadFile reads a file that Deeplearning4j's DataSet.save or MultiDataSet.save, or SaveFile, wrote, and checks it as
// Validate does. Its errors are dl4j.FormatErrors or those of the storage.
func ReadFile(ctx context.Context, path string) (*MultiDataSet, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Read(f, f.Size())
	return m, dl4j.In(err, path, "")
}

// Read is [ReadFile] for a reader of size bytes, or -1 if that is not known. Arrays of other types become float32.
func Read(in io.Reader, size int64) (*MultiDataSet, error) {
	b := bufio.NewReaderSize(in, 64<<10)
	r := dl4j.NewReader(b, size)
	m := &MultiDataSet{}
	multi, err := isMulti(b, r)
	switch {
	case err != nil:
	case multi:
		err = m.readMulti(r)
	default:
		err = m.readSingle(r)
	}
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, &dl4j.FormatError{Offset: -1, Err: err}
	}
	return m, nil
}

// isMulti tells from a file's first byte whether it is a MultiDataSet.
func isMulti(b *bufio.Reader, r *dl4j.Reader) (bool, error) {
	first, err := b.Peek(1)
	if err == io.EOF {
		return false, r.Errorf("not a saved DataSet or MultiDataSet: it is empty")
	}
	return err == nil && first[0] == 0, err
}

// PeekShape reads the shape of the first features of a saved DataSet or MultiDataSet, and nothing else of the file. The
// first extent is the number of examples.
func PeekShape(ctx context.Context, path string) (tensor.Shape, error) {
	f, err := storage.OpenWatched(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := bufio.NewReaderSize(f, 512)
	r := dl4j.NewReader(b, f.Size())
	multi, err := isMulti(b, r)
	switch {
	case err != nil:
	case multi:
		err = r.Full(make([]byte, 16)) // four counts
	default:
		_, err = readContents(r)
	}
	if err == nil {
		var shape tensor.Shape
		if shape, err = r.Shape(); err == nil && len(shape) < 2 {
			err = r.Errorf("features of shape %v: there should be two dimensions at least, examples first", shape)
		}
		if err == nil {
			return shape, nil
		}
	}
	return nil, dl4j.In(err, path, "")
}

// readContents reads the first byte of a DataSet, which lists its contents.
func readContents(r *dl4j.Reader) (has byte, err error) {
	if has, err = r.Uint8(); err != nil {
		return 0, err
	}
	if has&hasFeatures == 0 || has >= 1<<7 || has&hasLabels != 0 && has&labelsAreFeatures != 0 {
		return 0, &dl4j.FormatError{Err: fmt.Errorf("not a saved DataSet or MultiDataSet: it starts with the byte %#x", has)}
	}
	return has, nil
}

func (m *MultiDataSet) readSingle(r *dl4j.Reader) error {
	has, err := readContents(r)
	if err != nil {
		return err
	}
	for _, x := range []struct {
		flag byte
		list *[]*tensor.Dense
	}{{hasFeatures, &m.Features}, {hasLabels, &m.Labels}, {hasFeatureMask, &m.FeatureMasks},
		{hasLabelMask, &m.LabelMasks}} {
		if has&x.flag == 0 {
			continue
		}
		a, _, err := r.Array()
		if err != nil {
			return err
		}
		*x.list = []*tensor.Dense{a}
	}
	if has&labelsAreFeatures != 0 {
		m.Labels = m.Features
	}
	if has&hasMeta != 0 {
		if m.Meta, err = r.StringList(); err != nil {
			return err
		}
	}
	if has&hasLabelNames != 0 {
		m.LabelNames, err = r.StringList()
	}
	return err
}

func (m *MultiDataSet) readMulti(r *dl4j.Reader) error {
	var counts [4]int32
	for i := range counts {
		var err error
		if counts[i], err = r.Int32(); err != nil {
			return err
		}
	}
	if counts[0] == 0 || slices.Min(counts[:]) < 0 || slices.Max(counts[:]) > maxArrays {
		return r.Errorf("not a saved MultiDataSet: it would have %d, %d, %d and %d arrays", counts[0], counts[1], counts[2],
			counts[3])
	}
	for i, list := range []*[]*tensor.Dense{&m.Features, &m.Labels, &m.FeatureMasks, &m.LabelMasks} {
		for range counts[i] {
			a, _, err := r.Array()
			if err != nil {
				return err
			}
			if i >= 2 && len(a.Shape) == 1 && len(a.Data) == 1 && a.Data[0] == -1 {
				a = nil // a missing mask is written like this
			}
			*list = append(*list, a)
		}
	}
	if r.Remaining() == 0 {
		return nil
	}
	n, err := r.Int32()
	if err != nil {
		if r.Remaining() < 0 {
			return nil // a file of unknown size ended
		}
		return err
	}
	if n != 1 {
		return r.Errorf("the mark of the metadata is %d, not 1", n)
	}
	m.Meta, err = r.StringList()
	return err
}

// SaveFile writes a file for Deeplearning4j's DataSet.load. If a DataSet can't hold the data, because it has several
// inputs or outputs, or other lists of masks, the file is for MultiDataSet.load. Data with weights is an error: the
// files have none.
func (m *MultiDataSet) SaveFile(ctx context.Context, path string) error {
	return storage.WriteFile(ctx, path, m.Write)
}

// Write is [MultiDataSet.SaveFile] for a stream.
func (m *MultiDataSet) Write(w io.Writer) error {
	if d, err := m.Single(); err == nil {
		return WriteDataSet(w, d)
	}
	return WriteMultiDataSet(w, m)
}

// errWeights is the error of data sets whose weights can't be saved.
var errWeights = errors.New("Deeplearning4j's files of data sets have no weights of examples: leave the weights out")

// WriteDataSet writes d as Deeplearning4j's DataSet.save does. If the labels are the same array as the features, they
// are written once.
func WriteDataSet(out io.Writer, d *DataSet) error {
	if d.Features == nil {
		return fmt.Errorf("a DataSet without features can't be saved")
	}
	if d.Weights != nil {
		return errWeights
	}
	has := byte(hasFeatures)
	flag := func(f byte, yes bool) {
		if yes {
			has |= f
		}
	}
	same := d.Labels == d.Features
	flag(labelsAreFeatures, same)
	flag(hasLabels, d.Labels != nil && !same)
	flag(hasFeatureMask, d.FeatureMask != nil)
	flag(hasLabelMask, d.LabelMask != nil)
	flag(hasMeta, len(d.Meta) > 0)
	flag(hasLabelNames, len(d.LabelNames) > 0)
	w := dl4j.NewWriter(out)
	w.Uint8(has)
	labels := d.Labels
	if same {
		labels = nil
	}
	for _, a := range []*tensor.Dense{d.Features, labels, d.FeatureMask, d.LabelMask} {
		if a != nil {
			w.Array(a, dl4j.C)
		}
	}
	if len(d.Meta) > 0 {
		w.StringList(d.Meta)
	}
	if len(d.LabelNames) > 0 {
		w.StringList(d.LabelNames)
	}
	return w.Err()
}

// WriteMultiDataSet writes m as Deeplearning4j's MultiDataSet.save does, which does not keep label names.
func WriteMultiDataSet(out io.Writer, m *MultiDataSet) error {
	if m.Weights != nil {
		return errWeights
	}
	w := dl4j.NewWriter(out)
	lists := [][]*tensor.Dense{m.Features, m.Labels, m.FeatureMasks, m.LabelMasks}
	for _, l := range lists {
		w.Int32(int32(len(l)))
	}
	for _, l := range lists {
		for _, a := range l {
			if a == nil {
				a = tensor.MustOf([]float32{-1}, 1)
			}
			w.Array(a, dl4j.C)
		}
	}
	if len(m.Meta) > 0 {
		w.Int32(1)
		w.StringList(m.Meta)
	}
	return w.Err()
}
