package analysis_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// merged adds the rows of a case to three parts, one after another, and merges these.
func merged[P interface {
	Add(pipeline.Item) error
	Merge(P)
}](t *testing.T, rows *given, empty func(*pipeline.Schema) P) P {
	t.Helper()
	parts := []P{empty(rows.schema), empty(rows.schema), empty(rows.schema)}
	for i, item := range rows.items {
		if err := parts[3*i/len(rows.items)].Add(item); err != nil {
			t.Fatal(err)
		}
	}
	parts[1].Merge(parts[2])
	parts[0].Merge(parts[1])
	return parts[0]
}

// TestMergedAnalyses: analyses of parts of the rows, merged, are DataVec's analysis of all rows.
func TestMergedAnalyses(t *testing.T) {
	for name, files := range oracle(t, "analysis") {
		t.Run(name, func(t *testing.T) {
			var c analysisCase
			if err := json.Unmarshal(files["case.json"], &c); err != nil {
				t.Fatal(err)
			}
			a := merged(t, read(t, files), func(s *pipeline.Schema) *analysis.Analyzer {
				return analysis.NewAnalyzer(s, analysis.AnalyzeOptions{Buckets: c.Buckets})
			}).Analysis()
			if c.Error != "" {
				return
			}
			compareAnalyses(t, a, files["analysis.json"], c)
			if !slices.Contains(c.Defects, "analysis-infinite") { // their quantiles are spoiled
				compareQuantiles(t, a, c)
			}
		})
	}
}

// TestMergedQualities: the counts of parts of the rows, merged, are those of all rows.
func TestMergedQualities(t *testing.T) {
	for name, files := range oracle(t, "quality") {
		t.Run(name, func(t *testing.T) {
			q := merged(t, read(t, files), func(s *pipeline.Schema) *analysis.QualityChecker {
				return analysis.NewQualityChecker(s, analysis.AnalyzeOptions{})
			}).Quality()
			whole, err := analysis.CheckQuality(read(t, files), analysis.AnalyzeOptions{})
			if err != nil || q.String() != whole.String() {
				t.Errorf("merged\n%s\nwhole, %v\n%s", q, err, whole)
			}
		})
	}
}
