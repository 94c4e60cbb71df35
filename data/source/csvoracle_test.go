package source

import (
	"archive/zip"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
)

// ours is what we make of lines that DataVec takes apart by rules of its own. RFC 4180 has no quotes in a bare field
// and
// nothing behind a closing quote, not even a space: such lines are errors. It has no escapes either: a backslash is a
// letter. Two quotes are the empty text, wherever they stand and whatever the line before was.
var ours = map[string]string{
	`a, "b",c`: "error", `a; 'b'`: "error", `a,bc"d"ef,g`: "error", `a""b,c`: "error", // a quote in a bare field
	`a,"b" ,c`: "error", `"a"b,c`: "error", `"a\"b",c`: "error", // behind a closing quote
	`a\,b,c`: `a\|b|c`, `a\\b,c`: `a\\b|c`, `"a\\b",c`: `a\\b|c`, // backslashes
	`"",x`: "|x", `""`: "", // the defect csv-parser
	"": "error", // an empty line is no row
}

// TestCSVOracle: lines that the real DataVec's CSV readers took apart. We read RFC 4180, and
// so differ where its parser does not: its oracle counts that as the defect csv-parser.
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
