package source

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"runtime"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/stored"
	"github.com/dl4go/dl4go/tensor"
)

// storedBytes is the number of bytes of features that are gathered before they are stored.
const storedBytes = 1 << 20

// storeRows makes examples from all rows, and stores them.
func (r *Room) storeRows(from *rowReader, name string) (s *Stored, err error) {
	w, err := r.newWriter()
	if err != nil {
		return nil, err
	}
	s = &Stored{}
	if r.Parted && from.b.plan.Streams() {
		s.Origins = &Origins{}
	}
	gaps, masked, unmasked := 0, false, false // steps without a label; examples with and without label masks
	flush := func() error {
		if s.Origins != nil {
			for _, row := range from.from {
				s.Origins.add(row)
			}
		}
		if from.gaps == nil {
			unmasked = true
		} else {
			gaps, masked = gaps+unlabelledSteps(from.gaps), true
		}
		err := storeCame(w, from)
		from.forget(true)
		return err
	}
	for err == nil {
		from.batches.share(runtime.GOMAXPROCS(0))
		if err = from.advance(); err == nil && 4*len(from.x) >= storedBytes {
			err = flush()
		}
	}
	from.batches.halt()
	if err == io.EOF {
		if err = from.close(); err == nil {
			err = flush()
		}
	}
	if s.rows, err = finish(w, err); err != nil {
		return nil, err
	}
	if masked && unmasked {
		if err := r.rewrite(s, maskLabels); err != nil {
			return nil, err
		}
	}
	s.info, s.Read = from.info(), from.read
	s.info.Name, s.info.Examples, s.info.Notes = name, s.rows.Len(), notesOn(from, gaps)
	return s, nil
}

// storeCame stores the examples that rows have made so far.
func storeCame(w *stored.Writer, from *rowReader) error {
	if len(from.from) == 0 {
		return nil
	}
	if !from.b.plan.Out().Sequence {
		return storeExamples(w, from.examples())
	}
	t := from.sequences(Info{})
	for i := range t.Objects() { // one by one, without padding
		if err := storeExamples(w, t.Range(i, i+1)); err != nil {
			return err
		}
	}
	return nil
}

// finish finishes a writer, or removes its file if there was an error.
func finish(w *stored.Writer, err error) (*stored.Rows, error) {
	if err != nil && err != io.EOF {
		w.Close()
		return nil, err
	}
	return w.Finish()
}

// rewrite changes all examples, when the change is known after all were read. Meanwhile, old and new examples share the
// room.
func (r *Room) rewrite(s *Stored, change func(m *data.MultiDataSet) error) (err error) {
	before := s.rows
	defer func() {
		if err = errors.Join(err, before.Close()); err != nil && s.rows != before {
			s.rows.Close()
		}
	}()
	room := *r
	if before.InMemory() {
		room.Memory = max(0, r.Memory-before.Bytes())
	} else {
		room.Moved = nil // Moved was called already
	}
	w, err := room.newWriter()
	if err != nil {
		return err
	}
	for i := range before.Len() {
		var row []byte
		if row, err = before.At(i); err != nil {
			break
		}
		var m *data.MultiDataSet
		if m, err = data.DecodeRow(row); err == nil {
			err = change(m)
		}
		if err == nil {
			err = w.Add(data.AppendRow(nil, m))
		}
		if err != nil {
			break
		}
	}
	after, err := finish(w, err)
	if err == nil {
		s.rows = after
	}
	return err
}

// maskLabels gives the labels of an example a mask, because all examples need one if some have one.
func maskLabels(m *data.MultiDataSet) error {
	if m.LabelMasks == nil {
		mask := tensor.New(1, m.Labels[0].Shape[2])
		for i := range mask.Data {
			mask.Data[i] = 1
		}
		m.LabelMasks = []*tensor.Dense{mask}
	}
	return nil
}

// roomy is a Kind that stores the examples of [Kind.Open] even if only all rows together tell the classes.
type roomy interface {
	openIn(ctx context.Context, n Name, o Options) (Source, error)
}

// storeGathered stores the rows of a table. Each call of more gathers some rows.
func (r *Room) storeGathered(from *gathered, more func() error, name string) (Source, error) {
	w, err := r.newWriter()
	if err != nil {
		return nil, err
	}
	store := func() error {
		if from.values == nil || 4*len(from.values) < storedBytes {
			return nil
		}
		return storeNumbered(w, from)
	}
	for err == nil {
		if err = more(); err == nil {
			err = store()
		}
	}
	if err == io.EOF && len(from.values) > 0 {
		if err = storeNumbered(w, from); err == nil {
			err = io.EOF
		}
	}
	s := &Stored{}
	if s.rows, err = finish(w, err); err != nil {
		return nil, err
	}
	if err := r.classify(s, from); err != nil {
		s.Close()
		return nil, err
	}
	s.info.Name, s.info.Examples, s.Read = name, s.rows.Len(), s.rows.Len()
	return s, nil
}

// storeNumbered stores the gathered rows.
func storeNumbered(w *stored.Writer, from *gathered) error {
	m, err := from.numbered()
	if err == nil {
		err = storeExamples(w, m)
	}
	from.empty()
	return err
}

// classify gives the examples the form of classes, and replaces numbers of class names by classes, when all are known.
func (r *Room) classify(s *Stored, from *gathered) error {
	t, err := from.table()
	if err != nil {
		return err
	}
	if s.info = t.info; from.targets == 0 || from.options.Regression {
		return nil
	}
	position, names, classes, err := from.classes()
	if err != nil {
		return err
	}
	if from.position != nil {
		position = nil // labels are classes already
	}
	if coded, err := recode(s, from.features, position, names, classes); coded || err != nil {
		return err
	}
	return r.rewrite(s, func(m *data.MultiDataSet) error {
		y, class := tensor.New(1, classes), int(math.Float32bits(m.Labels[0].Data[0]))
		if position != nil {
			class = position[class]
		}
		y.Data[class] = 1
		m.Labels, m.LabelNames = []*tensor.Dense{y}, names
		return nil
	})
}

// recode is classify for rows of one form, whose labels change in place. It returns false if rows have not one form. If
// position is nil, the labels are classes already.
func recode(s *Stored, features int, position []int, names []string, classes int) (bool, error) {
	if s.rows.Len() == 0 || classes < 2 {
		return false, nil
	}
	m, err := s.Pick([]int{0})
	if err != nil {
		return false, err
	}
	m.Labels, m.LabelNames = []*tensor.Dense{tensor.New(1, classes)}, names
	var change func(elements []byte) error
	if position != nil && !inOrder(position) {
		change = func(elements []byte) error {
			at := elements[4*features:] // the label follows the features
			binary.LittleEndian.PutUint32(at, uint32(position[binary.LittleEndian.Uint32(at)]))
			return nil
		}
	}
	return s.rows.Recode(data.ClassRow(m, 0), change)
}

// settled returns the class of each class name so far. It returns nil if names that are still to come can change it.
func (s *gathered) settled() ([]int, error) {
	if o := s.options; o.Names == nil && !o.knowsClasses() {
		if o.Classes == 0 || len(s.names) == 0 {
			return nil, nil
		}
		if _, err := strconv.ParseFloat(s.names[0], 64); err != nil {
			return nil, nil
		}
	}
	if len(s.position) < len(s.names) {
		position, _, _, err := s.classes()
		if err != nil {
			return nil, err
		}
		s.position = position
	}
	return s.position, nil
}

// numbered returns the gathered rows. The bits of a label are the number of its class if that is settled, and otherwise
// the number of its class name.
func (s *gathered) numbered() (*data.MultiDataSet, error) {
	n := len(s.values) / s.features
	m := &data.MultiDataSet{Features: []*tensor.Dense{tensor.MustOf(s.values, n, s.features)}}
	if s.key >= 0 {
		m.Meta = s.keys
	}
	if len(s.weights) > 0 {
		m.Weights = tensor.MustOf(s.weights, n, 1)
	}
	switch {
	case s.targets == 0:
	case s.options.Regression:
		m.Labels = []*tensor.Dense{tensor.MustOf(s.targetV, n, s.targets)}
	default:
		position, err := s.settled()
		if err != nil {
			return nil, err
		}
		y := tensor.New(n, 1)
		for i, class := range s.class {
			if position != nil {
				class = int32(position[class])
			}
			y.Data[i] = math.Float32frombits(uint32(class))
		}
		m.Labels = []*tensor.Dense{y}
	}
	return m, nil
}
