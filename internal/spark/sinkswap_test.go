package spark

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestFormatOfAnExistingTable: a table that is written to keeps its format, unless the user names another one. Only
// tables of files in Spark's own catalogue are replaced by one beside them.
func TestFormatOfAnExistingTable(t *testing.T) {
	for _, c := range []struct {
		mode                  engine.WriteMode
		format, has, kind, to string
		beside                bool
	}{
		{engine.Overwrite, "", "delta", "MANAGED", "delta", false},
		{engine.Overwrite, "", "iceberg", "", "iceberg", false},
		{engine.Overwrite, "", "ORC", "MANAGED", "orc", true},
		{engine.Overwrite, "parquet", "delta", "MANAGED", "parquet", false},
		{engine.Overwrite, "delta", "parquet", "MANAGED", "delta", false},
		{engine.Overwrite, "CSV", "parquet", "MANAGED", "CSV", true},
		{engine.Overwrite, "", "parquet", "EXTERNAL", "parquet", false},
		{engine.Overwrite, "", "", "", "", false},
		{engine.Append, "", "delta", "MANAGED", "delta", false},
		{engine.Append, "", "parquet", "MANAGED", "parquet", false},
	} {
		to, beside := asDescribed(engine.TableWrite{Table: "t", Mode: c.mode, Format: c.format},
			map[string]string{"Catalog": "spark_catalog", "Type": c.kind, "Provider": c.has})
		if to.Format != c.to || beside != c.beside || to.Mode != c.mode {
			t.Errorf("%+v: %+v, beside %v", c, to, beside)
		}
	}
}

func TestNameParts(t *testing.T) {
	for name, want := range map[string][]string{
		"t":             {"t"},
		"a.b.t":         {"a", "b", "t"},
		"`a.b`.t":       {"a.b", "t"},
		"a.`b``c.d`":    {"a", "b`c.d"},
		"`a`.`b`.`c d`": {"a", "b", "c d"},
		"`a``b`":        {"a`b"},
		"``":            {""},
	} {
		if got := nameParts(name); !slices.Equal(got, want) {
			t.Errorf("%s: %q, wanted %q", name, got, want)
		}
	}
}
