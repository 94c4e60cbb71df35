package records_test

import (
	"regexp"
	"testing"

	"github.com/dl4go/dl4go/data/records"
	"github.com/dl4go/dl4go/data/source"
)

// TestBadRowsShiftNothing: a bad row costs the row or the sequence that it belongs to. Others are what they are
// without it.
func TestBadRowsShiftNothing(t *testing.T) {
	digit, bad := regexp.MustCompile(`(\d)`), regexp.MustCompile(`! t\.txt:[^;]*`)
	digits := func(path string) (source.Rows, error) {
		return records.RegexLines(t.Context(), path, digit, records.RegexOptions{})
	}
	for name, c := range map[string]struct {
		text, want string
		open       func(path string) (source.Rows, error)
	}{
		"side by side": {"1\n-\n3\n4\n", "1,a; !; 3,c; 4,d",
			func(path string) (source.Rows, error) {
				left, err := digits(path)
				if err != nil {
					return nil, err
				}
				right, err := records.Lines(t.Context(), file(t, "right.txt", "a\nb\nc\nd\n"))
				if err != nil {
					return nil, err
				}
				return records.Composed(left, right)
			}},
		"the first line of a sequence": {"1\n2\n\"a\"b\n4\n5\n6\n", "1,2; !; 5,6", func(path string) (source.Rows,
			error) {
			return records.CSVLines(t.Context(), path, 2, records.CSVOptions{})
		}},
		"lines within a sequence": {"1\n\"a\"b\n3\n4\n5\n6\n7\n", "!; 4,5,6; 7", func(path string) (source.Rows,
			error) {
			return records.CSVLines(t.Context(), path, 3, records.CSVOptions{})
		}},
		"windows": {"1\n2\n3\n\"a\"b\n5\n6\n", "2,1; !; 5,3; 6", func(path string) (source.Rows, error) {
			return records.CSVWindows(t.Context(), path, 2, 2, records.CSVOptions{})
		}},
		"series": {"1,2\n\n3\n\"a\"b\n5\n\n6\n", "1,2; !; 6", func(path string) (source.Rows, error) {
			return records.CSVSeries(t.Context(), path, records.SeriesOptions{})
		}},
	} {
		rows, err := c.open(file(t, "t.txt", c.text))
		if got := bad.ReplaceAllString(items(t, rows, err), "!"); got != c.want {
			t.Errorf("%s: got %s, wanted %s", name, got, c.want)
		}
	}
}

// TestQuotedExpressions: an expression may end in a quotation.
func TestQuotedExpressions(t *testing.T) {
	rows, err := records.RegexLines(t.Context(), file(t, "t.txt", "1a.b\n"), regexp.MustCompile(`(\d)\Qa.b`),
		records.RegexOptions{})
	if got := items(t, rows, err); got != "1" {
		t.Errorf("got %s", got)
	}
	one, err := records.CSV(t.Context(), file(t, "t.txt", "a\n"), records.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	if _, err := records.Groups(one, regexp.MustCompile("a")); err == nil {
		t.Error("a column without a group is replaced by nothing")
	}
}
