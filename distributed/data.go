// Package distributed trains, evaluates and applies networks on the workers of an engine.
//
// [New], [FromConfiguration] and [FromGraphConfiguration] put a network on an engine. [Data] is distributed data. It
// comes from memory ([FromDataSets], [FromKeyed], [FromLabeledPoints]), from files that the workers read
// ([FromDirectory], [FromFiles], [FromPaths]), from a source ([FromSource]), or from a query of Spark ([FromQuery]).
// Every method takes any of them.
//
// [Network.Fit] trains with a [TrainingMaster] of package paramavg or sharing. [Network.Evaluate],
// [Network.DoEvaluation] and [Network.Score] measure. [Network.Predict] and [Network.ScoreExamples] return [Results],
// which are distributed data again.
package distributed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	_ "github.com/dl4go/dl4go/internal/local" // local[N] and processes[N]
	"github.com/dl4go/dl4go/nn"
)

// Data is a distributed data set of examples, in partitions and in order, like Deeplearning4j's RDD of DataSets. It is
// lazy: workers read examples from files each time that a job needs them, unless the data is persisted. Data never
// changes and is safe for concurrent use.
//
// Each row of the engine is one example, as data.AppendRow writes it. Minibatches are made where they are needed, so
// examples can be assigned to workers one by one.
type Data struct {
	rows *engine.Dataset

	files   *engine.Dataset // saved DataSets with the examples; nil if they are from elsewhere
	from    *engine.Dataset // the files from which the examples were made; see explain.go
	results *atomic.Bool    // for results: whether they were released
	keys    []engine.Column // of a query's rows; see keyed.go
	stored  *storedData     // of examples in a file of this machine; otherwise nil
	checked bool            // later reads must give the same examples as the count: see Indexed

	mu      sync.Mutex
	counts  []int64         // of examples in each partition; nil until they are counted
	commits []engine.Commit // of the partitions when they were counted
	level   engine.StorageLevel
}

func init() {
	engine.RegisterError[*nn.DivergedError]("nn.DivergedError")
	engine.RegisterError[*nn.AnomalyError]("nn.AnomalyError")
	engine.RegisterError[*data.ValueError]("data.ValueError")
}

// FromRows makes Data from an engine's data set whose rows data.AppendRow wrote, one example each.
func FromRows(rows *engine.Dataset) *Data { return &Data{rows: rows} }

// FromDataSets spreads minibatches in memory over partitions; 0 means one for each slot of the engine. Minibatches stay
// whole. Partitions hold equal numbers of them, and the first ones one more if they do not divide evenly. The examples
// are copied.
func FromDataSets(e engine.Engine, sets []*data.MultiDataSet, partitions int) (*Data, error) {
	return fromObjects(e, len(sets), partitions, func(i int) (*data.MultiDataSet, error) {
		if sets[i] == nil {
			return nil, errors.New("it is nil")
		}
		return sets[i], sets[i].Validate()
	})
}

// FromLabeledPoints spreads points in memory over partitions; 0 means one for each slot of the engine. With classes > 0
// the data is for classification. With 0 classes it is for regression, and labels stay numbers. (Deeplearning4j:
// fitLabeledPoint and fitContinuousLabeledPoint make such data from MLlib's points and train on it.)
func FromLabeledPoints(e engine.Engine, points []data.LabeledPoint, classes, partitions int) (*Data, error) {
	return fromObjects(e, len(points), partitions, func(i int) (*data.MultiDataSet, error) {
		if i > 0 && len(points[i].Features) != len(points[0].Features) {
			return nil, fmt.Errorf("%d features, the first point has %d", len(points[i].Features), len(points[0].Features))
		}
		return points[i].Example(classes)
	})
}

// FromSource spreads a source over partitions, as [FromDataSets] does. Workers read [source.Files] themselves, as with
// [FromFiles]. [source.Stored] examples are read when a job needs them, so close them when the data is no longer used.
// Other sources are read into memory now.
func FromSource(e engine.Engine, s source.Source, partitions int) (*Data, error) {
	if missing(s) {
		return nil, errors.New("there is no source: it is nil")
	}
	if files, ok := s.(source.Files); ok {
		return fromFiles(e, filesOf{Name: files.Reader()}, files.Paths(), partitions), nil
	}
	if of, ok := s.(*source.Stored); ok && here(e) {
		return fromStored(e, storedData{from: of}, partitions)
	}
	if of, ok := s.(*source.Stored); ok {
		return sendStored(e, of, partitions)
	}
	if err := checkTable(s.Info()); err != nil {
		return nil, err
	}
	return fromRowsOf(e, s.Objects(), partitions, func(i int) ([][]byte, error) { return source.ObjectRows(s, i) })
}

// checkTable fails if a table's examples, as dense rows, don't fit into this machine's memory.
func checkTable(i source.Info) error {
	row := int64(0)
	for _, shape := range slices.Concat(i.Features, i.Labels) {
		row += 4 * int64(shape.Size())
	}
	if all := float64(row) * float64(i.Examples); all > math.MaxInt64 {
		return fmt.Errorf("%s: %d examples of %d bytes don't fit into any memory", i.Name, i.Examples, row)
	}
	if err := checkup.Fits(row * int64(i.Examples)); err != nil {
		return fmt.Errorf("%s: %d examples, as dense rows of %d bytes: %w", i.Name, i.Examples, row, err)
	}
	return nil
}

func fromObjects(e engine.Engine, n, partitions int, object func(i int) (*data.MultiDataSet, error)) (*Data, error) {
	return fromRowsOf(e, n, partitions, func(i int) ([][]byte, error) {
		m, err := object(i)
		if err != nil {
			return nil, err
		}
		return data.ExampleRows(m), nil
	})
}

// fromRowsOf distributes objects, each of which has one or several rows.
func fromRowsOf(e engine.Engine, n, partitions int, object func(i int) ([][]byte, error)) (*Data, error) {
	if partitions == 0 {
		partitions = e.Slots()
	}
	if partitions < 0 {
		return nil, fmt.Errorf("%d partitions were asked for", partitions)
	}
	parts := make([][]engine.Row, partitions)
	counts := make([]int64, partitions)
	at := 0
	for p, end := range engine.EvenEnds(n, partitions) {
		for ; at < end; at++ {
			rows, err := object(at)
			if err != nil {
				return nil, fmt.Errorf("data set %d: %w", at, err)
			}
			for _, row := range rows {
				parts[p] = append(parts[p], engine.Unindexed(row))
			}
		}
		counts[p] = int64(len(parts[p]))
	}
	return &Data{rows: engine.Parallelize(e, parts), counts: counts}, nil
}

// FromFiles spreads files that Deeplearning4j's DataSet.save or MultiDataSet.save wrote, in the order given, over
// partitions. 0 partitions means one for each slot of the engine.
func FromFiles(e engine.Engine, paths []string, partitions int) *Data {
	return FromSaved(ReadFiles(e, paths, partitions))
}

// FromPaths is FromFiles for files of any kind, read by the loader.
func FromPaths(e engine.Engine, paths []string, l Loader, partitions int) *Data {
	return FromRows(ReadFiles(e, paths, partitions).Map(l.step))
}

// FromSaved makes Data from an engine's data set of files as for FromFiles.
func FromSaved(files *engine.Dataset) *Data {
	d := FromRows(files.Map(SavedDataSets.step))
	d.files, d.from = files, files
	return d
}

// ReadFiles spreads files over partitions; 0 means one for each slot of the engine.
func ReadFiles(e engine.Engine, paths []string, partitions int) *engine.Dataset {
	if partitions <= 0 {
		partitions = e.Slots()
	}
	return engine.ReadFiles(e, spreadFiles(paths, partitions))
}

// spreadFiles divides files into partitions.
func spreadFiles(paths []string, partitions int) [][]string {
	parts := make([][]string, partitions)
	at := 0
	for p, end := range engine.EvenEnds(len(paths), partitions) {
		parts[p] = slices.Clone(paths[at:end])
		at = end
	}
	return parts
}

// FromDirectory is FromFiles for ListPaths of a directory. It makes at least minPartitions partitions, if there are
// enough files.
func FromDirectory(ctx context.Context, e engine.Engine, dir string, minPartitions int) (*Data, error) {
	paths, err := ListPaths(ctx, e, dir)
	if err != nil {
		return nil, err
	}
	return FromFiles(e, paths, min(max(minPartitions, e.Slots()), len(paths))), nil
}

// ListPaths lists the files of a directory that the workers see, in the order of their names, for example for
// [FromPaths]. It leaves out hidden files and subdirectories (Deeplearning4j: SparkUtils.listPaths). A directory
// without files is an error.
func ListPaths(ctx context.Context, e engine.Engine, dir string) ([]string, error) {
	files, err := e.ListFiles(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the directory %s has no files", dir)
	}
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return paths, nil
}

// derive returns data with other rows for the same examples, with their keys.
func (d *Data) derive(rows *engine.Dataset) *Data {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &Data{rows: rows, keys: d.keys, checked: d.checked, counts: d.counts, from: d.from, results: d.results}
}

// Engine returns the engine that has the data.
func (d *Data) Engine() engine.Engine { return d.rows.Engine() }

// Rows returns the engine's data set, with a row for each example. The rows' indices have no meaning: see Indexed.
func (d *Data) Rows() *engine.Dataset { return d.rows }

// Partitions returns the number of partitions.
func (d *Data) Partitions() int { return d.rows.Partitions() }

// Counts returns the number of examples in each partition. If it is unknown, a job counts them, once.
func (d *Data) Counts(ctx context.Context) ([]int64, error) {
	d.mu.Lock()
	counts := d.counts
	d.mu.Unlock()
	if counts != nil {
		return slices.Clone(counts), nil
	}
	commits, err := d.rows.Commits(ctx)
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	counts = make([]int64, len(commits))
	for p, c := range commits {
		counts[p] = c.Rows
	}
	d.mu.Lock()
	d.counts, d.commits = counts, commits
	d.mu.Unlock()
	return slices.Clone(counts), nil
}

// Count returns the number of examples.
func (d *Data) Count(ctx context.Context) (int, error) {
	counts, err := d.Counts(ctx)
	n := 0
	for _, c := range counts {
		n += int(c)
	}
	return n, err
}

// KeyColumns returns the number of columns in the key of an example of a query; 0 for other data.
func (d *Data) KeyColumns() int { return len(d.keys) }

// Saved reports whether the examples are in files of saved DataSets, so that an export would only copy them.
func (d *Data) Saved() bool { return d.files != nil }

// Persist keeps the examples at this level once the workers have read them. [Data.Unpersist] drops them.
func (d *Data) Persist(level engine.StorageLevel) *Data {
	if d.stored != nil {
		return d // its file is enough
	}
	d.rows.Persist(level)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.level = level
	return d
}

// Unpersist drops the copy that Persist made. Without one, it does nothing.
func (d *Data) Unpersist() {
	d.rows.Unpersist()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.level = engine.None
}

// Persisted reports whether the data is persisted at any level. It also returns true for [source.Stored] data, which
// need not be persisted.
func (d *Data) Persisted() bool {
	if d.stored != nil {
		return true
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.level != engine.None && d.level != ""
}

// ErrStop, returned by a function that is called for each example, ends the visit without an error.
var ErrStop = errors.New("no more examples are wanted")

// Examples brings all examples to the driver, one by one and in order. Each belongs to the called function.
func (d *Data) Examples(ctx context.Context, each func(m *data.MultiDataSet) error) error {
	err := d.rows.Collect(ctx, func(_ int, row engine.Row) error {
		m, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return err
		}
		return each(m)
	})
	if errors.Is(err, ErrStop) {
		return nil
	}
	return d.explain(ctx, err)
}

// writeExamples writes a row for each example.
func writeExamples(out engine.Writer, m *data.MultiDataSet) error {
	for _, row := range data.ExampleRows(m) {
		if err := out.Write(engine.Unindexed(row)); err != nil {
			return err
		}
	}
	return nil
}
