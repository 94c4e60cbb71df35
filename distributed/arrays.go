package distributed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/storage"
)

// clusterArrays are arrays on a cluster's storage. Each worker reads the rows of its partitions, and their labels.
type clusterArrays struct {
	ctx    context.Context
	engine engine.Engine
	of     *source.Arrays
	conf   arraysConf
	paths  []string
	info   source.Info
	sample *data.MultiDataSet
	at     []int // unless nil, the rows that are examples, in order
}

// arraysConf says how workers read the rows of arrays.
type arraysConf struct {
	Name    source.Name
	For     source.Options
	Classes int // found in the labels; 0 if settings say it
	Heads   [][]byte
	Places  []source.ArrayPlace // of arrays in an archive
	Ends    []int               // of the partitions, in rows
	Only    []byte              // unless nil, a bit for each row: whether it is an example
}

// openArrays lets the workers look through arrays.
func openArrays(ctx context.Context, e engine.Engine, n source.Name, o OpenOptions) (source.Source, error) {
	a := &clusterArrays{ctx: storage.Watched(ctx), engine: e, conf: arraysConf{Name: n, For: o.Options}}
	var err error
	if a.paths, err = source.ArrayFiles(n, o.Options); err != nil {
		return nil, err
	}
	defer o.busy("looking through arrays")()
	cuts := make([]engine.Cut, len(a.paths))
	for i := range cuts {
		cuts[i].To = npy.HeadBytes
	}
	if source.Archived(n) {
		if cuts, err = a.findInArchive(); err != nil {
			return nil, err
		}
	}
	if err = a.readHeads(cuts); err != nil {
		return nil, err
	}
	a.conf.Ends = a.ends(max(1, min(a.of.Rows(), e.Slots())))
	if a.of.NeedsClasses() {
		if err = a.findClasses(); err != nil {
			return nil, err
		}
	}
	a.info = a.of.Info()
	a.info.Name = n.String()
	return a, a.survey()
}

// findInArchive finds the arrays in an archive, and returns where their heads are.
func (a *clusterArrays) findInArchive() (cuts []engine.Cut, err error) {
	tails, err := a.read(engine.Cut{From: -source.TailBytes, To: -1})
	if err != nil {
		return nil, err
	}
	if a.conf.Places, err = source.FindArrays(a.conf.Name, a.conf.For, tails[0]); err != nil {
		return nil, err
	}
	archive := a.paths[0]
	a.paths = nil
	for _, p := range a.conf.Places {
		a.paths = append(a.paths, archive)
		cuts = append(cuts, engine.Cut{From: p.Entry, To: p.Entry + source.EntryBytes})
	}
	return cuts, nil
}

// read reads a piece of each file.
func (a *clusterArrays) read(cuts ...engine.Cut) (pieces [][]byte, err error) {
	rows, err := engine.ReadCuts(a.engine, [][]string{a.paths}, [][]engine.Cut{cuts}).CollectAll(a.ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		file, err := engine.FileOf(row)
		if err != nil {
			return nil, err
		}
		pieces = append(pieces, file.Content)
	}
	return pieces, nil
}

// readHeads reads the arrays' headers.
func (a *clusterArrays) readHeads(cuts []engine.Cut) (err error) {
	if a.conf.Heads, err = a.read(cuts...); err != nil {
		return err
	}
	for i := range a.conf.Places {
		if a.conf.Heads[i], err = a.conf.Places[i].Head(a.conf.Heads[i]); err != nil {
			return fmt.Errorf("%s: %w", a.paths[i], err)
		}
	}
	if a.of, err = a.conf.arrays(); err == nil {
		a.conf.Heads = a.of.Heads(a.conf.Heads)
	}
	return err
}

// arrays returns the arrays without their rows.
func (c arraysConf) arrays() (*source.Arrays, error) {
	return source.ArraysOf(c.Name, c.For, c.Classes, c.Heads, c.Places)
}

// rows returns the rows of a partition: from … to-1.
func (c arraysConf) rows(partition int) (from, to int) {
	if partition > 0 {
		from = c.Ends[partition-1]
	}
	return from, c.Ends[partition]
}

// pieces returns a data set with pieces of some of the files, in each partition those of its rows.
func (a *clusterArrays) pieces(conf arraysConf, files []int) *engine.Dataset {
	paths, cuts := make([][]string, len(conf.Ends)), make([][]engine.Cut, len(conf.Ends))
	for p := range conf.Ends {
		from, to := conf.rows(p)
		for _, i := range files {
			begin, end := a.of.Cut(i, from, to)
			paths[p], cuts[p] = append(paths[p], a.paths[i]), append(cuts[p], engine.Cut{From: begin, To: end})
		}
	}
	return engine.ReadCuts(a.engine, paths, cuts)
}

// all are the numbers of all files.
func (a *clusterArrays) all() (files []int) {
	for i := range a.paths {
		files = append(files, i)
	}
	return files
}

// findClasses has the workers look for the largest class among the labels.
func (a *clusterArrays) findClasses() error {
	rows := a.pieces(a.conf, []int{len(a.paths) - 1}).Map(arrayClasses.With(a.conf))
	err := rows.Collect(a.ctx, func(_ int, row engine.Row) error {
		n, err := strconv.Atoi(string(row.Bytes))
		a.conf.Classes = max(a.conf.Classes, n)
		return err
	})
	if err == nil {
		a.of, err = a.conf.arrays()
	}
	return err
}

// survey has the workers check the numbers of all rows, and gets an example.
func (a *clusterArrays) survey() error {
	return a.pieces(a.conf, a.all()).Map(surveyArrays.With(a.conf)).Collect(a.ctx, func(_ int, row engine.Row) error {
		m, err := data.DecodeRow(row.Bytes)
		if a.sample == nil {
			a.sample = m
		}
		return err
	})
}

// Info describes the data.
func (a *clusterArrays) Info() source.Info { return a.info }

// Objects returns the number of partitions.
func (a *clusterArrays) Objects() int { return len(a.conf.Ends) }

// Bytes returns the size of the examples as they are sent.
func (a *clusterArrays) Bytes() int64 { return int64(a.info.Examples) * a.sample.Bytes() }

// Samples returns the first example. The workers have checked the numbers of all examples.
func (a *clusterArrays) Samples() []source.Sample { return []source.Sample{{Example: a.sample}} }

// Object fetches the examples of a partition.
func (a *clusterArrays) Object(i int) (*data.MultiDataSet, error) {
	var all []*data.MultiDataSet
	d := FromRows(a.data(a.conf).rows.Select(i))
	err := d.Examples(a.ctx, func(m *data.MultiDataSet) error {
		all = append(all, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return data.Merge(all)
}

// data returns the examples.
func (a *clusterArrays) data(conf arraysConf) *Data {
	counts := make([]int64, len(conf.Ends))
	for p := range counts {
		from, to := conf.rows(p)
		if counts[p] = int64(to - from); a.at != nil {
			before, _ := slices.BinarySearch(a.at, from)
			until, _ := slices.BinarySearch(a.at, to)
			counts[p] = int64(until - before)
		}
	}
	return &Data{rows: a.pieces(conf, a.all()).Map(readArrays.With(conf)), counts: counts}
}

// ends returns the ends of partitions that have about the same number of examples.
func (a *clusterArrays) ends(partitions int) []int {
	if a.at == nil {
		return engine.EvenEnds(a.of.Rows(), partitions)
	}
	ends := engine.EvenEnds(len(a.at), partitions)
	for p, n := range ends {
		if n > 0 {
			ends[p] = a.at[n-1] + 1
		}
	}
	return ends
}

// Subset returns a source of some examples, in the order of their rows. The workers read the rows between them, too.
func (a *clusterArrays) Subset(name string, at []int) source.Source {
	part := *a
	part.at = slices.Sorted(slices.Values(at))
	part.conf.Only = make([]byte, (a.of.Rows()+7)/8)
	for _, row := range part.at {
		part.conf.Only[row/8] |= 1 << (row % 8)
	}
	part.conf.Ends = part.ends(max(1, min(len(at), a.engine.Slots())))
	part.info.Name, part.info.Examples = name, len(at)
	return &part
}

// ClassNumbers returns the class of each example.
func (a *clusterArrays) ClassNumbers() (classes []int, err error) {
	err = a.pieces(a.conf, a.all()).Map(arrayLabels.With(a.conf)).Collect(a.ctx, func(_ int, row engine.Row) error {
		for b := row.Bytes; len(b) > 0; {
			class, n := binary.Uvarint(b)
			if n <= 0 {
				return errors.New("the numbers of classes are damaged")
			}
			classes, b = append(classes, int(class)), b[n:]
		}
		return nil
	})
	return classes, err
}

// Spread has the workers read the rows in partitions.
func (a *clusterArrays) Spread(_ context.Context, _ engine.Engine, by data.Normalizer, partitions int) (*Data,
	error) {
	conf := a.conf
	if partitions > 0 {
		conf.Ends = a.ends(partitions)
	}
	d := a.data(conf)
	if by == nil {
		return d, nil
	}
	return d.Normalize(by)
}

// contents returns the contents of all files of a partition.
func contents(in engine.Rows) (all [][]byte, err error) {
	err = eachFile(in, func(file engine.File) error {
		all = append(all, file.Content)
		return nil
	})
	return all, err
}

// each calls do with the examples of a partition, some at a time.
func (c arraysConf) each(t *engine.Task, in engine.Rows, do func(*data.MultiDataSet) error) error {
	of, err := c.arrays()
	if err != nil {
		return engine.Permanent(err)
	}
	pieces, err := contents(in)
	if err != nil {
		return err
	}
	from, to := c.rows(t.Partition)
	if from == to {
		return nil
	}
	var refused error // by do
	err = of.Each(from, to, pieces, func(m *data.MultiDataSet) error {
		at := c.only(from, m.Examples())
		from += m.Examples()
		if refused = t.Context().Err(); refused == nil && len(at) > 0 {
			if len(at) < m.Examples() {
				m = m.Select(at)
			}
			refused = do(m)
		}
		return refused
	})
	if refused != nil {
		return refused
	}
	return engine.Permanent(err)
}

// only returns which of n rows are examples, from 0.
func (c arraysConf) only(from, n int) (at []int) {
	for i := range n {
		if row := from + i; c.Only == nil || c.Only[row/8]>>(row%8)&1 != 0 {
			at = append(at, i)
		}
	}
	return at
}

// readArrays writes the examples of a partition.
var readArrays = engine.Register("distributed.arrays.read",
	func(t *engine.Task, conf arraysConf, in engine.Rows, out engine.Writer) error {
		return conf.each(t, in, func(m *data.MultiDataSet) error { return writeExamples(out, m) })
	})

// surveyArrays checks the numbers of a partition, and writes its first example.
var surveyArrays = engine.Register("distributed.arrays.survey",
	func(t *engine.Task, conf arraysConf, in engine.Rows, out engine.Writer) error {
		first := true
		return conf.each(t, in, func(m *data.MultiDataSet) error {
			if err := m.CheckFinite(); err != nil {
				return engine.Permanent(fmt.Errorf("%s: %w", conf.Name, err))
			}
			if !first {
				return nil
			}
			first = false
			return out.Write(engine.Unindexed(data.AppendRow(nil, m.Slice(0, 1))))
		})
	})

// arrayClasses writes the number of classes among the labels of a partition.
var arrayClasses = engine.Register("distributed.arrays.classes",
	func(t *engine.Task, conf arraysConf, in engine.Rows, out engine.Writer) error {
		of, err := conf.arrays()
		if err != nil {
			return engine.Permanent(err)
		}
		pieces, err := contents(in)
		if err != nil {
			return err
		}
		from, to := conf.rows(t.Partition)
		n, err := of.Classes(from, to, pieces[0])
		if err != nil {
			return engine.Permanent(err)
		}
		return out.Write(engine.Unindexed(strconv.AppendInt(nil, int64(n), 10)))
	})

// arrayLabels writes the numbers of the classes of a partition.
var arrayLabels = engine.Register("distributed.arrays.labels",
	func(t *engine.Task, conf arraysConf, in engine.Rows, out engine.Writer) error {
		return conf.each(t, in, func(m *data.MultiDataSet) error {
			var numbers []byte
			y := m.Labels[0]
			for i := range m.Examples() {
				row := y.Data[i*y.Shape[1] : (i+1)*y.Shape[1]]
				numbers = binary.AppendUvarint(numbers, uint64(slices.Index(row, slices.Max(row))))
			}
			return out.Write(engine.Unindexed(numbers))
		})
	})
