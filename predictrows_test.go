package dl4go_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
)

const penguins = "internal/prepare/testdata/penguins.csv"

// ofRawColumns returns a model of the penguins that keeps its pipeline, and the preparation.
func ofRawColumns(t *testing.T, label string) (*dl4go.Model, *source.Preparation) {
	t.Helper()
	n, err := source.Parse("csv:" + penguins + "?label=" + label)
	if err != nil {
		t.Fatal(err)
	}
	r, err := prepare.Open(t.Context(), n, prepare.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	trained, err := dl4go.Train(t.Context(), dl4go.Config{Network: dl4go.MLP(8), Data: r.Train, Epochs: 1, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer trained.Close()
	if err := modelfile.SetPreparation(trained.Network(), r.Preparation); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.zip")
	if err := trained.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	m, err := dl4go.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, r.Preparation
}

// rawRows returns the penguins in the form of a Go program: numbers for numeric fields, nil for gaps.
func rawRows(t *testing.T, without string) (rows []map[string]any) {
	t.Helper()
	file, err := os.Open(penguins)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]any{"more": []int{1}}
		for i, field := range line {
			x, err := strconv.ParseFloat(field, 64)
			switch name := lines[0][i]; {
			case name == without:
			case field == "" || field == "NA":
				row[name] = nil
			case err == nil:
				row[name] = x
			default:
				row[name] = field
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPredictRows: rows of Go values have exactly the same answers as their file.
func TestPredictRows(t *testing.T) {
	for _, label := range []string{"species", "year&regression=true"} {
		m, p := ofRawColumns(t, label)
		label, _, _ = strings.Cut(label, "&")
		rows := rawRows(t, label)
		n, err := source.Parse("csv:" + penguins)
		if err != nil {
			t.Fatal(err)
		}
		s, err := source.OpenName(t.Context(), n, source.Options{Preparation: p, Unlabelled: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.PredictAll(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.PredictRows(t.Context(), rows...)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%s: %d answers, wanted %d, error %v", label, len(got), len(want), err)
		}
		names := p.Labels
		if p.Classes != nil {
			names = p.Classes
		}
		for i, a := range got {
			for k, name := range names {
				if a.Values[name] != want[i][k] {
					t.Fatalf("%s: row %d: %v, wanted %v", label, i, a.Values, want[i])
				}
			}
			if p.Classes != nil && a.Values[a.Class.Name] != a.Class.Probability || (p.Classes == nil) != (a.Class.Name == "") {
				t.Fatalf("%s: row %d: %+v", label, i, a)
			}
		}
	}
}

// TestPredictRowsMistakes: an error names the row and the column.
func TestPredictRowsMistakes(t *testing.T) {
	m, _ := ofRawColumns(t, "species")
	good := rawRows(t, "species")[0]
	with := func(name string, v any) map[string]any {
		row := map[string]any{}
		for k, v := range good {
			row[k] = v
		}
		if row[name] = v; v == "none" {
			delete(row, name)
		}
		return row
	}
	for want, row := range map[string]map[string]any{
		`row 1: there is no value "island"`:                 with("island", "none"),
		`row 1: "island": a struct {} can't be the value`:   with("island", struct{}{}),
		`row 1: "bill_length_mm": a time.Duration can't be`: with("bill_length_mm", time.Second),
		`column "bill_length_mm": "long" is not a number`:   with("bill_length_mm", "long"),
	} {
		if _, err := m.PredictRows(t.Context(), good, row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
	few := map[string]any{"island": "Biscoe", "bill_length_mm": 45.1, "body_mass_g": 4500, "year": 2008}
	const want = `row 0: there is no value "bill_depth_mm", "flipper_length_mm", "sex"; give all columns`
	if _, err := m.PredictRows(t.Context(), few); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, wanted %q", err, want)
	}
	if _, err := m.PredictRows(t.Context()); err == nil || !strings.Contains(err.Error(), "there are no rows") {
		t.Error(err)
	}
}
