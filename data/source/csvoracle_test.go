package source

import (
	"archive/zip"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
)

// ours holds our results for lines that DataVec parses by its own rules. RFC 4180 allows no quotes in a bare field, and
// nothing after a closing quote, not even a space: such lines are errors. It has no escapes either: a backslash is a
// letter. Two quotes are the empty text, anywhere in a line and after any other line.
var ours = map[string]string{
	`a, "b",c`: "error", `a; 'b'`: "error", `a,bc"d"ef,g`: "error", `a""b,c`: "error", // a quote in a bare field
	`a,"b" ,c`: "error", `"a"b,c`: "error", `"a\"b",c`: "error", // after a closing quote
	`a\,b,c`: `a\|b|c`, `a\\b,c`: `a\\b|c`, `"a\\b",c`: `a\\b|c`, // backslashes
	`"",x`: "|x", `""`: "", // the defect csv-parser
	"": "error", // an empty line is no row
}

// TestCSVOracle reads lines that DataVec's CSV readers have parsed. We follow RFC 4180 where DataVec's parser does not:
// the oracle counts these lines as the defect csv-parser.
func TestCSVOracle(t *testing.T) {
	z, err := zip.OpenReader("testdata/csv.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for name, comma := range map[string]rune{"quotes-1": ',', "delimiter-1": ';'} {
		var cases []struct {
			Line   string
			Fields []string
			Error  string
		}
		if err := json.Unmarshal(zipped(t, &z.Reader, "csv/"+name+"/fields.json"), &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			p := newCSVParser("t.csv", strings.NewReader(c.Line), comma, 0)
			if name == "delimiter-1" {
				p.quote = '\''
			}
			fields, err := p.read()
			if (err != nil) == (c.Error != "") && slices.Equal(fields, c.Fields) {
				continue
			}
			got := strings.Join(fields, "|")
			if err != nil {
				got = "error"
			}
			if want, ok := ours[c.Line]; ok && got == want {
				continue
			}
			t.Errorf("%s %q: %s (%v), DataVec gives %q %s", name, c.Line, got, err, c.Fields, c.Error)
		}
	}
}

func zipped(t *testing.T, z *zip.Reader, path string) []byte {
	f, err := z.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
