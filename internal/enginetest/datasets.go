package enginetest

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/campaign"
)

func rowsArrive(s *suite) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	huge := make([]byte, 8<<20)
	for i := range huge {
		huge[i] = byte(i * i >> 8)
	}
	for name, parts := range map[string][][]engine.Row{
		"no partitions":            {},
		"empty partitions":         {{}, {}, {}},
		"more partitions than row": {{}, {engine.Unindexed([]byte("one"))}, {}, {}, {}, {}},
		"every byte, and none":     {{engine.Unindexed(every), engine.Unindexed(nil), {Index: 7, Bytes: []byte{0}}}},
		"a huge row":               {{engine.Unindexed(huge)}, {engine.Unindexed([]byte("\t\n\\N"))}},
		"many rows":                s.random(1, 20, 40000, 0, 1, 30000),
		"many partitions":          s.random(2, 100, slices.Repeat([]int{3, 0, 1}, campaign.Count(15, 50, 50))...),
	} {
		s.Log(name)
		d := engine.Parallelize(s.engine, parts)
		s.expect(d, parts) // expect also compares the commits, which have the row counts
		s.expect(d.Map(identity.With(markConfig{})), parts)
	}
}

func text(parts ...[]string) [][]engine.Row {
	rows := make([][]engine.Row, len(parts))
	for p, part := range parts {
		for _, t := range part {
			rows[p] = append(rows[p], engine.Unindexed([]byte(t)))
		}
	}
	return rows
}

func mapPartitions(s *suite) {
	conf := &tagConfig{"-"}
	step := tag.With(*conf)
	conf.Text = "changed afterwards"
	d := engine.Parallelize(s.engine, text([]string{"a", "b"}, nil, []string{"c"}))
	d = d.Map(step).Map(tag.With(tagConfig{"\t'\n\"é"}))
	s.expect(d, text([]string{"a-0\t'\n\"é0", "b-0\t'\n\"é0"}, nil, []string{"c-2\t'\n\"é2"}))
	s.expect(d.Map(discard.With(struct{}{})), make([][]engine.Row, 3))
}

func stopsEarly(s *suite) {
	d := s.partitions(1000,
		1000).Map(identity.With(markConfig{})).Map(first.With(firstConfig{3})).Map(identity.With(markConfig{}))
	if got := fmt.Sprint(numbers(s.collect(d))); got != "[[0 1 2] [1000 1001 1002]]" {
		s.Error(got)
	}
}

func files(s *suite) {
	write := func(name, content string) string {
		path := filepath.Join(s.dir, name)
		s.must(os.WriteFile(path, []byte(content), 0o666))
		return path
	}
	a, b := write("a b.txt", "first"), write("b$.txt", "")
	missing := filepath.Join(s.dir, "missing.txt")
	d := engine.ReadFiles(s.engine, [][]string{{b, a}, {missing}, {}, {a}})
	read := d.Map(paths.With(struct{}{}))
	s.expect(read.Select(0, 2, 3), text([]string{"b$.txt ", "a b.txt first"}, nil, []string{"a b.txt first"}))
	pieces(s, a, b)
	openedFiles(s, a, b, missing)
	if _, err := read.Count(s.ctx); err == nil || !strings.Contains(err.Error(), "missing.txt") {
		s.Errorf("a missing file gives the error %v", err)
	}
	s.must(os.Mkdir(filepath.Join(s.dir, "inner"), 0o777))
	write("_SUCCESS", "")
	write(".hidden", "")
	found, err := s.engine.ListFiles(s.ctx, s.dir)
	s.must(err)
	if want := []engine.FileInfo{{Path: a, Size: 5}, {Path: b, Size: 0}}; !slices.Equal(found, want) {
		s.Errorf("found %v, wanted %v", found, want)
	}
	changedFile(s, a)
	s.must(os.WriteFile(filepath.Join(s.dir, "inner", "c"), []byte("1"), 0o666))
	found, err = s.engine.(engine.TreeLister).ListTree(s.ctx, s.dir)
	s.must(err)
	inner := engine.FileInfo{Path: filepath.Join(s.dir, "inner", "c"), Size: 1}
	if want := []engine.FileInfo{{Path: a, Size: 5}, {Path: b, Size: 0}, inner}; !slices.Equal(found, want) {
		s.Errorf("found %v in the tree, wanted %v", found, want)
	}
	if _, err := s.engine.ListFiles(s.ctx, missing); err == nil || !strings.Contains(err.Error(), "missing.txt") {
		s.Errorf("listing a missing directory gives the error %v", err)
	}
}

// pieces checks that rows have the pieces of files that are asked for, as far as the files have them.
func pieces(s *suite, first, empty string) {
	cuts := [][]engine.Cut{{{From: 1, To: 3}, {From: 0, To: 9}}, {{From: 3, To: -1}}, {}, {{From: 7, To: 9}}}
	d := engine.ReadCuts(s.engine, [][]string{{first, empty}, {first}, {}, {first}}, cuts).Map(paths.With(struct{}{}))
	s.expect(d, text([]string{"a b.txt ir", "b$.txt "}, []string{"a b.txt st"}, nil, []string{"a b.txt "}))
}

// openedFiles checks that operations read parts of files, and that a file that is missing or has changed is an error.
func openedFiles(s *suite, first, empty, missing string) {
	d := engine.OpenFiles(s.engine, [][]string{{first, empty}, {}, {first}, {missing}}).Map(middles.With(struct{}{}))
	want := text([]string{"a b.txt irs of 5", "b$.txt  of 0"}, nil, []string{"a b.txt irs of 5"})
	s.expect(d.Select(0, 1, 2), want)
	if _, err := d.Count(s.ctx); err == nil || !strings.Contains(err.Error(), "missing.txt") {
		s.Errorf("opening a missing file gives the error %v", err)
	}
}

// changedFile checks that a job refuses a file that was listed and read by an earlier job, and has changed since.
func changedFile(s *suite, path string) {
	d := engine.ReadFiles(s.engine, [][]string{{path}}).Map(paths.With(struct{}{}))
	s.expect(d, text([]string{"a b.txt first"}))
	was, err := os.Stat(path)
	s.must(err)
	defer os.Chtimes(path, was.ModTime(), was.ModTime())
	later := was.ModTime().Add(time.Hour)
	s.must(os.Chtimes(path, later, was.ModTime()))
	s.expect(d, text([]string{"a b.txt first"}))
	s.must(os.Chtimes(path, later, later))
	if _, err := d.Count(s.ctx); err == nil || !strings.Contains(err.Error(), "changed while it was in use") {
		s.Errorf("a file that changes between jobs gives the error %v", err)
	}
}

func save(s *suite) {
	dir := filepath.Join(s.dir, "new", "dir")
	d := engine.Parallelize(s.engine, text([]string{"a", ""}, nil,
		[]string{"c", strings.Repeat("long", 1<<19)})).Map(named.With(struct{}{}))
	want := text([]string{"part_0_0 a", "part_0_1 "}, nil,
		[]string{"part_2_0 c", "part_2_1 " + strings.Repeat("long", 1<<19)})
	cleaner := s.engine.(engine.Cleaner)
	begun := time.Now().Add(-time.Second) // file system clocks are coarse
	runs := func() (names []string) {
		found, err := cleaner.Runs(s.ctx, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Fatal(err)
		}
		for _, r := range found {
			if r.Owner == engine.OwnerGone || r.Seen.Before(begun) || r.Seen.After(time.Now()) || r.Bytes == 0 {
				s.Errorf("a run that lives is listed as %+v", r)
			}
			if r.Owner == engine.OwnerLives && cleaner.RemoveRun(s.ctx, r) == nil {
				s.Errorf("what a run that lives has can be removed: %+v", r)
			}
			names = append(names, r.Name)
		}
		return names
	}
	first, err := d.Save(s.ctx, dir)
	s.must(err)
	second, err := d.Map(identity.With(markConfig{})).Save(s.ctx, dir)
	s.must(err)
	for _, saved := range []*engine.Saved{first, second} {
		s.expect(saved.Map(paths.With(struct{}{})), want)
		s.expect(saved.Select(2, 0).Map(paths.With(struct{}{})), [][]engine.Row{want[2], want[0]})
	}
	if got := runs(); len(got) != 2 {
		s.Errorf("two runs saved, %v are listed", got)
	}
	s.must(first.Remove(s.ctx))
	s.must(first.Remove(s.ctx))
	if _, err := first.Count(s.ctx); err == nil {
		s.Error("what was removed can be read")
	}
	if got := runs(); len(got) != 1 || !strings.Contains(second.Place, got[0]) {
		s.Errorf("%v are listed, wanted that of %s", got, second.Place)
	}
	s.must(second.Keep(s.ctx))
	if got := runs(); len(got) != 0 {
		s.Errorf("what is kept is listed as a run's: %v", got)
	}
	s.expect(second.Map(paths.With(struct{}{})), want)
	s.must(second.Remove(s.ctx))
	failing := s.partitions(1, 2).Map(misbehave.With(misbehaveConfig{Partition: 1, How: "permanent", Attempts: 9,
		Dir: s.dir})).Map(named.With(struct{}{}))
	if _, err := failing.Save(s.ctx, dir); err == nil || !strings.Contains(err.Error(), "misbehaving") {
		s.Errorf("a failure while rows are saved gives the error %v", err)
	}
	if got := runs(); len(got) != 0 {
		s.Errorf("a failure left %v", got)
	}
	nothing, err := engine.Parallelize(s.engine, nil).Save(s.ctx, dir)
	s.must(err)
	s.expect(nothing.Dataset, nil)
	s.must(nothing.Remove(s.ctx))
}

func withIndex(parts [][]engine.Row) [][]engine.Row {
	n := int64(0)
	all := make([][]engine.Row, len(parts))
	for p, rows := range parts {
		for _, row := range rows {
			all[p] = append(all[p], engine.Row{Index: n, Bytes: row.Bytes})
			n++
		}
	}
	return all
}

func index(s *suite) {
	parts := s.random(3, 10, 0, 5, 0, 0, 300, 1, 0)
	d := engine.Parallelize(s.engine, parts)
	s.expect(d.Index(), withIndex(parts))
	s.expect(d.Map(identity.With(markConfig{})).Index(), withIndex(parts))
	s.expect(d.Index().Map(identity.With(markConfig{})), withIndex(parts))
	s.expect(d.IndexCounted([]int64{0, 5, 0, 0, 300, 1, 0}), withIndex(parts))
	s.expect(d.Index().Select(5, 1), [][]engine.Row{withIndex(parts)[5], withIndex(parts)[1]})
	if _, err := d.IndexCounted([]int64{0, 5, 0, 0, 299, 2, 0}).Count(s.ctx); err == nil {
		s.Error("a wrong count is accepted")
	}
}

func indexOfChanged(s *suite) {
	d := s.partitions(0).Map(different.With(markConfig{s.dir})).Index()
	if _, err := d.Count(s.ctx); err == nil || !strings.Contains(err.Error(), "partition 0") {
		s.Errorf("a partition that gives other rows each time gives the error %v", err)
	}
}

func exchange(s *suite) {
	parts := withIndex(s.random(4, 50, 100, 0, 57, 3))
	rows := slices.Concat(parts...)
	d := engine.Parallelize(s.engine, parts)
	all := [][]int{{0, 160, 160}, {40, 80, 120, 160}, {1, 2, 3, 160}, {160}}
	for seed, cuts := range all[:campaign.Count(2, len(all), len(all))] {
		if seed > 0 { // repeating the evaluation doesn't depend on the cuts
			s.again = campaign.Count(0, 2, 2)
		}
		a := engine.Assignment{Ends: cuts}
		for _, i := range rand.New(rand.NewPCG(uint64(seed), 1)).Perm(len(rows)) {
			a.Order = append(a.Order, int64(i))
		}
		want := make([][]engine.Row, len(cuts))
		for p := range cuts {
			for i := range a.Partition(p) {
				want[p] = append(want[p], rows[i])
			}
		}
		s.expect(d.Exchange(a), want)
		s.expect(d.Map(identity.With(markConfig{})).Exchange(a).Map(identity.With(markConfig{})), want)
		s.expect(d.Exchange(a).Select(len(cuts)-1), want[len(cuts)-1:])
		s.expect(d.Exchange(a).Index(), withIndex(want))
		back := engine.Assignment{Order: make([]int64, 160), Ends: []int{100, 100, 157, 160}}
		for i := range back.Order {
			back.Order[i] = int64(i)
		}
		s.expect(d.Exchange(a).Exchange(back), parts)
		s.expect(d.Exchange(a).Exchange(engine.Assignment{Ends: back.Ends}), parts)
	}
	s.expect(engine.Parallelize(s.engine, [][]engine.Row{{}}).Exchange(engine.Assignment{Ends: []int{0, 0}}),
		make([][]engine.Row, 2))
}

func exchangeRefuses(s *suite) {
	e := s.openWith(s.T, engine.Options{Attempts: 1}) // otherwise tasks are repeated, as if rows were lost in transit
	defer e.Close()
	row := func(indices ...int64) *engine.Dataset {
		var rows []engine.Row
		for _, i := range indices {
			rows = append(rows, engine.Row{Index: i, Bytes: []byte("x")})
		}
		return engine.Parallelize(e, [][]engine.Row{rows[:1], rows[1:]})
	}
	right := engine.Assignment{Order: []int64{2, 0, 1}, Ends: []int{1, 3}}
	for name, d := range map[string]*engine.Dataset{
		"a row twice":            row(0, 1, 1, 2).Exchange(right),
		"twice, one missing":     row(0, 1, 1).Exchange(right),
		"a row missing":          row(0, 2).Exchange(right),
		"a row too many":         row(0, 1, 2, 3).Exchange(right),
		"no indices":             row(0, engine.NoIndex, 2).Exchange(right),
		"assigned twice":         row(0, 1, 2).Exchange(engine.Assignment{Order: []int64{0, 1, 1}, Ends: []int{3}}),
		"not assigned":           row(0, 1, 2).Exchange(engine.Assignment{Order: []int64{0, 2}, Ends: []int{2}}),
		"cut short":              row(0, 1, 2).Exchange(engine.Assignment{Order: []int64{0, 1, 2}, Ends: []int{1, 2}}),
		"ends before":            row(0, 1, 2).Exchange(engine.Assignment{Order: []int64{0, 1, 2}, Ends: []int{2, 1, 3}}),
		"unordered, ends before": row(0, 1, 2).Exchange(engine.Assignment{Ends: []int{2, 1, 3}}),
		"unordered, too many":    row(0, 1, 2).Exchange(engine.Assignment{Ends: []int{4}}),
		"ends beyond":            row(0, 1, 2).Exchange(engine.Assignment{Order: []int64{0, 1, 2}, Ends: []int{4}}),
	} {
		if _, err := d.Count(s.ctx); err == nil {
			s.Errorf("%s: no error", name)
		} else {
			s.Logf("%s: %v", name, err)
		}
	}
}

func selectPartitions(s *suite) {
	d := s.partitions(2, 0, 1, 3)
	if got := fmt.Sprint(numbers(s.collect(d.Select(3, 1, 0, 3)))); got != "[[3 4 5] [] [0 1] [3 4 5]]" {
		s.Error(got)
	}
	tagged := engine.Parallelize(s.engine, text([]string{"a"}, []string{"b"}, []string{"c"})).
		Map(tag.With(tagConfig{"-"})).Select(2, 0).Map(tag.With(tagConfig{"+"}))
	s.expect(tagged, text([]string{"c-2+0"}, []string{"a-0+1"}))
}

func unusable(s *suite) {
	d := s.partitions(1, 1)
	for name, bad := range map[string]*engine.Dataset{
		"a partition that is not there": d.Select(2),
		"a step made by hand":           d.Map(engine.Step{}),
		"the wrong number of counts":    d.IndexCounted([]int64{1}),
		"derived from a wrong one":      d.Select(-1).Index().Persist(engine.MemoryOnly).Select(),
	} {
		if _, err := bad.Count(s.ctx); err == nil {
			s.Errorf("%s: no error", name)
		}
	}
}
