package spark

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/engine"
)

// document makes a JSON document for Spark from each row of cells: c0, c1, … are texts in base64, arrays of numbers, or
// null. The rows must be those of the commit.
var document = engine.Register("spark.write table", documents)

type documentConfig struct {
	Table   string
	Columns []engine.Column
	Commit  engine.Commit
}

// documentLimit is the size of a record's data, so that no row is in pieces.
const documentLimit = 1 << 20

func documents(_ *engine.Task, conf documentConfig, in engine.Rows, out engine.Writer) error {
	got := engine.Commit{Partition: conf.Commit.Partition}
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		got.Add(row)
		cells, err := engine.Cells(row.Bytes)
		if err != nil {
			return err
		}
		b, err := appendDocument(nil, conf.Columns, cells)
		if err == nil && len(b) > documentLimit {
			err = fmt.Errorf("it has %d bytes as text, and may have %d", len(b), documentLimit)
		}
		if err != nil {
			return engine.Permanent(fmt.Errorf("row %d for the table %s: %w", got.Rows-1, conf.Table, err))
		}
		if err := out.Write(engine.Unindexed(b)); err != nil {
			return err
		}
	}
	if !got.Same(conf.Commit) {
		return engine.Permanent(fmt.Errorf("the rows for the table %s are not those that were computed: %v, wanted %v",
			conf.Table, got, conf.Commit))
	}
	return nil
}

func appendDocument(b []byte, columns []engine.Column, cells []engine.Cell) ([]byte, error) {
	if len(cells) != len(columns) {
		return nil, fmt.Errorf("it has %d cells for %d columns", len(cells), len(columns))
	}
	b = append(b, '{')
	for i, c := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendInt(append(b, `"c`...), int64(i), 10), `":`...)
		array := columns[i].Type == "array<float>"
		switch {
		case array && c.Shape != nil:
			b = append(b, '[')
			for k, x := range c.Numbers {
				if k > 0 {
					b = append(b, ',')
				}
				b = appendFloat(b, x)
			}
			b = append(b, ']')
		case array || c.Shape != nil && len(c.Numbers) != 1:
			return nil, fmt.Errorf("cell %d does not fit the column %s %s", i, columns[i].Name, columns[i].Type)
		case c.Shape != nil:
			b = appendText(b, strconv.AppendFloat(nil, float64(c.Numbers[0]), 'f', -1, 32))
		case c.Text == nil:
			b = append(b, "null"...)
		default:
			b = appendText(b, c.Text)
		}
	}
	return append(b, '}'), nil
}

func appendText(b, text []byte) []byte {
	return append(base64.StdEncoding.AppendEncode(append(b, '"'), text), '"')
}

// appendFloat writes a number so that a parser that first reads a float64 gets the same float32.
func appendFloat(b []byte, x float32) []byte {
	switch wide := float64(x); {
	case math.IsNaN(wide):
		return append(b, `"NaN"`...)
	case math.IsInf(wide, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(wide, -1):
		return append(b, `"-Infinity"`...)
	case x == 0 && math.Signbit(wide):
		return append(b, "-0.0"...) // -0 would be a whole number, which has no sign
	default:
		short := strconv.AppendFloat(b, wide, 'g', -1, 32)
		if back, err := strconv.ParseFloat(string(short[len(b):]), 64); err == nil && float32(back) == x {
			return short
		}
		return strconv.AppendFloat(b, wide, 'g', -1, 64)
	}
}
