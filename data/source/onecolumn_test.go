package source

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestOneColumn: in a file of one column, an empty line is an empty field, as in DataVec, whether rows are read one by
// one or in batches. In other files, empty lines are skipped.
func TestOneColumn(t *testing.T) {
	for _, c := range []struct{ files, want string }{
		{"a\n1\n\n2\n\n", "2:1 3: 4:2 5:"},
		{"a\r\n\r\n2\r\n", "2: 3:2"},
		{"\n\na\nx\n\ny", "4:x 5: 6:y"},
		{"1\n\n2", "1:1 2: 3:2"},
		{"a\n1\n|\na\n\n2\n", "2:1 2: 3:2"},
		{"1\n\n|\n2\n", "1:1 2: 1:2"},
		{"a\n1\n|\n\na\n\n2\n", "2:1 3: 4:2"},
		{"1\n|\n\n2\n", "1:1 1: 2:2"},
		{"#\na\n1\n#\n\n", "3:1 5:"},
	} {
		dir := t.TempDir()
		for i, text := range strings.Split(c.files, "|") {
			if i > 0 {
				text = text[1:]
			}
			if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".csv"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		n := Name{Kind: "csv", Place: dir, Settings: map[string]string{"comment": "#"}}
		if one, all := readColumn(t, n, false), readColumn(t, n, true); one != c.want || all != c.want {
			t.Errorf("%q: %q, in batches %q, not %q", c.files, one, all, c.want)
		}
	}
	n := Name{Kind: "csv", Place: filepath.Join(t.TempDir(), "t.csv")}
	if err := os.WriteFile(n.Place, []byte("a,b\n1,x\n\n2,y\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := readColumn(t, n, true); got != "2:1 4:2" {
		t.Errorf("two columns: %q", got)
	}
}

// readColumn returns the values of the first column, each after its line.
func readColumn(t *testing.T, n Name, batches bool) string {
	t.Helper()
	rows, err := OpenRows(t.Context(), n, RowOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []string
	add := func(place string, v pipeline.Value) {
		all = append(all, place[strings.LastIndexByte(place, ':')+1:]+":"+v.String())
	}
	var b pipeline.Batch
	for {
		if batches {
			in := rows.(BatchRows)
			if err = in.NextBatch(&b); err == nil {
				for i := range b.Rows() {
					add(in.PlaceOf(i), b.Value(0, i))
				}
			}
		} else {
			var item pipeline.Item
			if item, err = rows.Next(); err == nil {
				add(rows.Place(), item.Row[0])
			}
		}
		if err == io.EOF {
			return strings.Join(all, " ")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
