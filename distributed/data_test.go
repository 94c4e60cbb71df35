package distributed_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/local"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

var ctx = context.Background()

func start(t testing.TB) engine.Engine {
	e := local.New(2, engine.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// numbered returns a minibatch of n examples. Their features are their numbers, counted from from, and the same plus
// 100.
func numbered(from, n int) *data.MultiDataSet {
	d := &data.DataSet{Features: tensor.New(n, 2), Labels: tensor.New(n, 3)}
	for i := range n {
		d.Features.Data[2*i], d.Features.Data[2*i+1] = float32(from+i), float32(from+i+100)
		d.Labels.Data[3*i+(from+i)%3] = 1
	}
	return d.Multi()
}

// places returns the numbers of each partition's examples.
func places(t *testing.T, rows *engine.Dataset) string {
	t.Helper()
	parts := make([][]int, rows.Partitions())
	err := rows.Collect(ctx, func(p int, row engine.Row) error {
		m, err := data.DecodeRow(row.Bytes)
		if err != nil {
			return err
		}
		if m.Examples() != 1 {
			return fmt.Errorf("a row has %d examples", m.Examples())
		}
		parts[p] = append(parts[p], int(m.Features[0].Data[0]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(parts)
}

func expect(t *testing.T, rows *engine.Dataset, want string) {
	t.Helper()
	if got := places(t, rows); got != want {
		t.Errorf("the examples are %s, wanted %s", got, want)
	}
}

// uneven returns 11 examples in partitions of 5, 3 and 3.
func uneven(t *testing.T, e engine.Engine) *distributed.Data {
	t.Helper()
	d, err := distributed.FromDataSets(e, []*data.MultiDataSet{numbered(0, 1), numbered(1, 4), numbered(5, 3),
		numbered(8, 3)}, 3)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFromDataSets(t *testing.T) {
	e := start(t)
	d := uneven(t, e)
	expect(t, d.Rows(), "[[0 1 2 3 4] [5 6 7] [8 9 10]]")
	if counts, err := d.Counts(ctx); err != nil || !slices.Equal(counts, []int64{5, 3, 3}) {
		t.Errorf("counts %v, error %v", counts, err)
	}
	var seen []float32
	err := d.Examples(ctx, func(m *data.MultiDataSet) error {
		if seen = append(seen, m.Features[0].Data[1]); len(seen) == 3 {
			return distributed.ErrStop
		}
		return nil
	})
	if err != nil || !slices.Equal(seen, []float32{100, 101, 102}) {
		t.Errorf("visited %v, error %v", seen, err)
	}
	many, err := distributed.FromDataSets(e, []*data.MultiDataSet{numbered(0, 2)}, 3)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, many.Rows(), "[[0 1] [] []]")
	bad := numbered(0, 2)
	bad.Labels[0] = tensor.New(3, 3)
	var shape *data.ShapeError
	if _, err := distributed.FromDataSets(e, []*data.MultiDataSet{numbered(0, 2), bad}, 1); !errors.As(err, &shape) ||
		!strings.Contains(err.Error(), "data set 1") {
		t.Errorf("labels that do not fit: %v", err)
	}
}

func TestFromSource(t *testing.T) {
	digits, err := source.Digits("test")
	if err != nil {
		t.Fatal(err)
	}
	d, err := distributed.FromSource(start(t), digits, 0)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	err = d.Examples(ctx, func(m *data.MultiDataSet) error {
		want, err := digits.Object(i)
		if err == nil && !bytes.Equal(data.AppendRow(nil, m), data.AppendRow(nil, want)) {
			err = fmt.Errorf("example %d differs", i)
		}
		i++
		return err
	})
	if err != nil || i != 300 || d.Partitions() != 2 {
		t.Errorf("%d examples in %d partitions, error %v", i, d.Partitions(), err)
	}
}

func TestFilesInADirectory(t *testing.T) {
	e, dir := start(t), t.TempDir()
	for i, name := range []string{"c.bin", "a.bin", "b.bin"} {
		if err := numbered(10*i, 2+i).SaveFile(t.Context(), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := distributed.FromDirectory(ctx, e, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, d.Rows(), "[[10 11 12 20 21 22 23] [0 1]]")
	if d, err = distributed.FromDirectory(ctx, e, dir, 9); err != nil {
		t.Fatal(err)
	}
	expect(t, d.Rows(), "[[10 11 12] [20 21 22 23] [0 1]]")
	saved, err := source.OpenSaved(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = distributed.FromSource(e, saved, 1); err != nil {
		t.Fatal(err)
	}
	expect(t, d.Rows(), "[[10 11 12 20 21 22 23 0 1]]")
	d.Persist(engine.MemoryOnlySer)
	expect(t, d.Rows(), "[[10 11 12 20 21 22 23 0 1]]")
	broken := filepath.Join(dir, "broken.bin")
	if err := os.WriteFile(broken, []byte{1, 0, 5}, 0o666); err != nil {
		t.Fatal(err)
	}
	expect(t, d.Rows(), "[[10 11 12 20 21 22 23 0 1]]")
	var w *engine.WorkerError
	if _, err := distributed.FromFiles(e, []string{broken}, 2).Count(ctx); !errors.As(err, &w) || w.Attempt != 1 ||
		!strings.Contains(err.Error(), broken) {
		t.Errorf("a broken file: %v", err)
	}
	if _, err := distributed.FromDirectory(ctx, e, t.TempDir(), 1); err == nil {
		t.Error("an empty directory is accepted")
	}
}

var sizes = distributed.RegisterLoader("distributed_test.sizes",
	func(path string, content io.Reader) (*data.MultiDataSet, error) {
		text, err := io.ReadAll(content)
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(string(text))
		if n < 0 {
			err = fmt.Errorf("%s: fewer than none", path)
		}
		if err != nil {
			return nil, err
		}
		return numbered(n, n), nil
	})

func TestLoader(t *testing.T) {
	e, dir := start(t), t.TempDir()
	var paths []string
	for _, content := range []string{"3", "1", "none", "-1"} {
		paths = append(paths, filepath.Join(dir, content))
		if err := os.WriteFile(paths[len(paths)-1], []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, distributed.FromPaths(e, paths[:2], sizes, 2).Rows(), "[[3 4 5] [1]]")
	for _, path := range paths[2:] { // the error names it once, from the loader or for it
		if _, err := distributed.FromPaths(e, []string{paths[0], path}, sizes, 1).Count(ctx); err == nil ||
			strings.Count(err.Error(), path) != 1 || !strings.Contains(err.Error(), "loader distributed_test.sizes") {
			t.Errorf("a file that the loader refuses: %v", err)
		}
	}
}

func TestRepartition(t *testing.T) {
	d := uneven(t, start(t))
	balanced, err := d.Repartition(ctx, distributed.Balanced, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, balanced.Rows(), "[[0 1 2] [3 4 5] [6 7 8] [9 10]]")
	again, err := balanced.Repartition(ctx, distributed.Balanced, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, again.Rows(), "[[0 1 2 3 4 5] [6 7 8 9 10]]")
	random := func(seed uint64) string {
		r, err := d.Repartition(ctx, distributed.SparkDefault, 3, seed)
		if err != nil {
			t.Fatal(err)
		}
		counts, err := r.Counts(ctx)
		if err != nil || counts[0]+counts[1]+counts[2] != 11 {
			t.Errorf("counts %v, error %v", counts, err)
		}
		back, err := r.Rows().Count(ctx)
		if err != nil || back != 11 {
			t.Errorf("%d rows, error %v", back, err)
		}
		return places(t, r.Rows())
	}
	seed1, seed1Again, seed2 := random(1), random(1), random(2)
	if seed1 != seed1Again || seed1 == seed2 {
		t.Errorf("seed 1: %s and %s; seed 2: %s", seed1, seed1Again, seed2)
	}
	if _, err := d.Repartition(ctx, "Cleverly", 2, 1); err == nil {
		t.Error("an unknown strategy is accepted")
	}
}

func TestAssign(t *testing.T) {
	d := uneven(t, start(t))
	a := engine.Assignment{Order: []int64{10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5}, Ends: []int{4, 8, 8, 11}}
	for _, level := range []engine.StorageLevel{engine.None, engine.MemoryOnly, engine.MemoryOnlySer} {
		shares, err := d.Assign(ctx, a, level)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, shares.Select(1, 0), "[[8 2 7 3] [10 0 9 1]]")
		expect(t, shares, "[[10 0 9 1] [8 2 7 3] [] [6 4 5]]")
		shares.Unpersist()
	}
	if short, err := d.Assign(ctx, engine.Assignment{Order: []int64{1, 0}, Ends: []int{2}},
		engine.MemoryOnly); err != nil {
		t.Error(err)
	} else if _, err := short.Count(ctx); err == nil {
		t.Error("an assignment of 2 of 11 examples is accepted")
	}
}

func TestExport(t *testing.T) {
	e, dir := start(t), filepath.Join(t.TempDir(), "export")
	d := uneven(t, e)
	exported, err := d.Export(ctx, dir, 2)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, exported.Rows(), "[[0 1 2 3 4] [5 6 7] [8 9 10]]")
	if counts, err := exported.Counts(ctx); err != nil || !slices.Equal(counts, []int64{5, 3, 3}) {
		t.Errorf("counts %v, error %v", counts, err)
	}
	files := filesIn(t, exported.Place())
	first, err := data.ReadFile(t.Context(), files[0])
	if err != nil || !bytes.Equal(data.AppendRow(nil, first), data.AppendRow(nil, numbered(0, 2))) {
		t.Errorf("the first file holds %v, error %v", first, err)
	}
	if n := len(files); n != 3+2+2 || !strings.HasPrefix(filepath.Base(files[3]), "dataset_1") ||
		!strings.HasSuffix(files[4], "_1.bin") {
		t.Errorf("the files are %v", files)
	}
	if err := os.Remove(files[4]); err != nil {
		t.Fatal(err)
	}
	if _, err := exported.Rows().Count(ctx); err == nil || !strings.Contains(err.Error(), files[4]) {
		t.Errorf("an exported file that is gone: %v", err)
	}
	if err := exported.Remove(ctx); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the export directory is left: %v", err)
	}
}

// filesIn lists the files of a directory except hidden ones.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExportPadsNothing exports time series of several lengths with a second input, which a DataSet can't hold.
func TestExportPadsNothing(t *testing.T) {
	series := func(length int) *data.MultiDataSet {
		return &data.MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 2, length), tensor.New(1, 1)}}
	}
	sets := []*data.MultiDataSet{series(3), series(3), series(5), series(3)}
	d, err := distributed.FromDataSets(start(t), sets, 1)
	if err != nil {
		t.Fatal(err)
	}
	exported, err := d.Export(ctx, t.TempDir(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if files := filesIn(t, exported.Place()); len(files) != 3 || !strings.HasPrefix(filepath.Base(files[0]), "mds_0") {
		t.Errorf("the files are %v", files)
	}
	i := 0
	err = exported.Examples(ctx, func(m *data.MultiDataSet) error {
		if !bytes.Equal(data.AppendRow(nil, m), data.AppendRow(nil, sets[i])) {
			t.Errorf("example %d has changed", i)
		}
		i++
		return nil
	})
	if err != nil || i != 4 {
		t.Errorf("%d examples, error %v", i, err)
	}
}

func TestMinibatches(t *testing.T) {
	d := uneven(t, start(t))
	rows, err := d.Rows().CollectAll(ctx)
	if err != nil {
		t.Fatal(err)
	}
	batches := distributed.Minibatches(engine.SliceRows(rows), 4)
	for _, want := range []*data.MultiDataSet{numbered(0, 4), numbered(4, 4), numbered(8, 3)} {
		got, err := batches.Next()
		if err != nil || !bytes.Equal(data.AppendRow(nil, got), data.AppendRow(nil, want)) {
			t.Errorf("minibatch %v, error %v; wanted %v", got, err, want)
		}
	}
	for range 2 {
		if _, err := batches.Next(); err != io.EOF {
			t.Errorf("after the last one: %v", err)
		}
	}
	bad := distributed.Minibatches(engine.SliceRows([]engine.Row{{Bytes: []byte("?")}}), 4)
	if _, err := bad.Next(); !engine.IsPermanent(err) {
		t.Errorf("a row that is no example: %v", err)
	}
}

var consume = engine.Register("distributed_test.consume", func(_ *engine.Task, _ struct{}, in engine.Rows,
	_ engine.Writer) error {
	for batches := distributed.Minibatches(in, 64); ; {
		if _, err := batches.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
})

// BenchmarkEpoch measures an epoch of parameter averaging without its computation. It permutes 60,000 examples of 784
// and delivers them as minibatches of 64, in 94 rounds of two workers.
func BenchmarkEpoch(b *testing.B) {
	const n = 60000
	set := &data.DataSet{Features: tensor.New(n, 784), Labels: tensor.New(n, 10)}
	e := start(b)
	memory, err := distributed.FromDataSets(e, []*data.MultiDataSet{set.Multi().Slice(0, n/2), set.Multi().Slice(n/2, n)},
		2)
	if err != nil {
		b.Fatal(err)
	}
	exported, err := memory.Export(ctx, b.TempDir(), 64)
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		data  *distributed.Data
		level engine.StorageLevel
	}{
		"memory": {memory, engine.MemoryOnlySer},
		"exported,persisted": {distributed.FromRows(exported.Rows().Select(0, 1)).Persist(engine.MemoryOnlySer),
			engine.MemoryOnlySer},
		"exported":           {exported.Data, engine.MemoryOnly},
		"exported,DISK_ONLY": {exported.Data, engine.DiskOnly},
	} {
		b.Run(name, func(b *testing.B) {
			for epoch := range b.N {
				a := engine.Assignment{Order: make([]int64, n)}
				for i, k := range random.Permutation(uint64(epoch), n) {
					a.Order[i] = int64(k)
				}
				for at := 0; at < n; {
					at = min(n, at+320)
					a.Ends = append(a.Ends, at)
				}
				shares, err := c.data.Assign(ctx, a, c.level)
				if err != nil {
					b.Fatal(err)
				}
				for p := 0; p < len(a.Ends); p += 2 {
					round := []int{p}
					if p+1 < len(a.Ends) {
						round = append(round, p+1)
					}
					if _, err := shares.Select(round...).Map(consume.With(struct{}{})).Count(ctx); err != nil {
						b.Fatal(err)
					}
				}
				shares.Unpersist()
			}
		})
	}
}
