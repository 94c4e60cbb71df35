package datacheck

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// table opens rows of a CSV file, with the label in column "label".
func table(t *testing.T, header, setting string, n int, row func(i int) string) source.Source {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.csv")
	text := []string{header}
	for i := range n {
		text = append(text, row(i))
	}
	if err := os.WriteFile(file, []byte(strings.Join(text, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := source.Open(t.Context(), "csv:"+file+"?label=label&"+setting)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sound makes rows of two random numbers and a class that they do not determine.
func sound(t *testing.T, seed uint64, n int) source.Source {
	r := random.NewSource(seed)
	return table(t, "a,b,label", "classes=2", n, func(i int) string {
		class := i % 2
		return fmt.Sprintf("%v,%v,%d", r.Float64()+0.5*float64(class), r.Float64(), class)
	})
}

// TestSound: usual data has no findings.
func TestSound(t *testing.T) {
	r := random.NewSource(3)
	numbers := table(t, "a,b,label", "regression=true", 300, func(int) string {
		a, b := r.Float64(), r.Float64()
		return fmt.Sprintf("%v,%v,%v", a, b, a+b)
	})
	few := table(t, "a,b,label", "classes=2", 300, func(i int) string { // rows repeat each other anyway
		return fmt.Sprintf("%d,%d,%d", i%3, i%5, i%2)
	})
	digits, err := source.Open(t.Context(), "digits:train")
	if err != nil {
		t.Fatal(err)
	}
	test, err := source.Open(t.Context(), "digits:test")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string][2]source.Source{"classes": {sound(t, 1, 300), sound(t, 2, 100)},
		"numbers": {numbers, nil}, "few values": {few, few}, "digits": {digits, test}, "few rows": {sound(t, 1, 4), nil}} {
		if f := Look(c[0], c[1], nil, nil); f != (Findings{}) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestRepeated: held-out examples that are training examples are found, also if only a sample is compared.
func TestRepeated(t *testing.T) {
	all := sound(t, 1, 400)
	if f := Look(all, sound(t, 1, 100), nil, nil); f.Repeated != 1 {
		t.Errorf("%+v", f)
	}
	trained, _ := sample(all, 100, nil)
	held, _ := sample(all, 400, nil)
	if share := repeated(trained, held, 400); share != 1 {
		t.Errorf("by a sample: %v", share)
	}
}

// TestTelling: a column that is made of the label is found.
func TestTelling(t *testing.T) {
	r := random.NewSource(5)
	classes := table(t, "a,leak,label", "classes=3", 300, func(i int) string {
		return fmt.Sprintf("%v,%v,%d", r.Float64(), float64((i+1)%3)+r.Float64()/2, i%3)
	})
	columns := table(t, "a,is0,is1,is2,label", "classes=3", 300, func(i int) string {
		is := func(class int) int { return map[bool]int{true: 1}[i%3 == class] }
		return fmt.Sprintf("%v,%d,%d,%d,%d", r.Float64(), is(0), is(1), is(2), i%3)
	})
	numbers := table(t, "a,leak,label", "regression=true", 300, func(i int) string {
		y := r.Float64()
		return fmt.Sprintf("%v,%v,%v", r.Float64(), -3*y, y)
	})
	for want, of := range map[string]source.Source{"leak": classes, "is0": columns, "leak ": numbers} {
		if f := Look(of, nil, nil, nil); f.Telling != strings.TrimSpace(want) {
			t.Errorf("%q: %+v", want, f)
		}
	}
}

// TestOtherClasses: a class that the training data lacks is found.
func TestOtherClasses(t *testing.T) {
	part := func(seed uint64, from, classes int) source.Source {
		r := random.NewSource(seed)
		return table(t, "a,b,label", "classes=3", 300, func(i int) string {
			return fmt.Sprintf("%v,%v,%d", r.Float64(), r.Float64(), from+i%classes)
		})
	}
	f := Look(part(1, 0, 2), part(2, 2, 1), nil, nil)
	if f.Missing != "2" || f.MissingTrained != 0 || f.MissingHeld < 0.999 {
		t.Errorf("%+v", f)
	}
}

// TestLarge: large numbers are found, unless they are normalized.
func TestLarge(t *testing.T) {
	r := random.NewSource(7)
	s := table(t, "a,salary,label", "regression=true", 300, func(int) string {
		return fmt.Sprintf("%v,%v,%v", r.Float64(), 4e4+1e4*r.Float64(), 3e5+1e5*r.Float64())
	})
	f := Look(s, nil, nil, nil)
	if f.Features.Column != "salary" || f.Features.Spread < 2000 || f.Labels.Column != "label" || f.Labels.Spread < 2e4 {
		t.Errorf("%+v", f)
	}
	if f := Look(s, nil, data.NewStandardize(true), nil); f != (Findings{}) {
		t.Errorf("normalized: %+v", f)
	}
}

// TestSorted: minibatches that have one class each are found.
func TestSorted(t *testing.T) {
	for name, class := range map[string]func(file, row int) int{"sorted": func(file, _ int) int { return file % 3 },
		"mixed": func(_, row int) int { return row % 3 }, "alike": func(int, int) int { return 1 }} {
		dir := t.TempDir()
		for file := range 6 {
			d := &data.DataSet{Features: tensor.New(10, 4), Labels: tensor.New(10, 3)}
			for row := range 10 {
				d.Labels.Data[3*row+class(file, row)] = 1
			}
			if err := d.Multi().SaveFile(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.bin", file))); err != nil {
				t.Fatal(err)
			}
		}
		s, err := source.OpenSaved(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if f := Look(s, nil, nil, nil); f.Sorted != (name == "sorted") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestSavedMinibatches: samples of saved minibatches are some of the files, and all of them if they are few.
func TestSavedMinibatches(t *testing.T) {
	dir, r := t.TempDir(), random.NewSource(9)
	const files, rows = 6, 60
	for file := range files {
		d := &data.DataSet{Features: tensor.New(rows, 2), Labels: tensor.New(rows, 3)}
		for i := range rows {
			d.Features.Data[2*i], d.Features.Data[2*i+1] = float32(r.Float64()), float32(i%3)+float32(r.Float64()/2)
			d.Labels.Data[3*i+i%3] = 1
		}
		if err := d.Multi().SaveFile(t.Context(), filepath.Join(dir, fmt.Sprintf("%d.bin", file))); err != nil {
			t.Fatal(err)
		}
	}
	s, err := source.OpenSaved(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if f := Look(s, s, nil, nil); f != (Findings{Telling: "1", Repeated: 1}) {
		t.Errorf("%+v", f)
	}
	for most, want := range map[int]int{1: 1, 2 * rows: 2, 1000: files} {
		if m, even := sample(s, most, nil); m.Examples() != want*rows || even != (want == files) {
			t.Errorf("a sample of %d has %d examples, even: %t", most, m.Examples(), even)
		}
	}
}
