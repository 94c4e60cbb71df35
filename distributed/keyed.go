package distributed

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// Keys returns the key columns of a query: see QueryOptions. It returns nil for other data. The keys of such data, from
// [FromKeyed], [FromDataSets] or saved DataSets, are the metadata of the examples: a text or any bytes for each.
func (d *Data) Keys() []engine.Column { return slices.Clone(d.keys) }

// FromKeyed spreads data sets in memory, each with its key, over partitions; 0 means one for each slot of the engine
// (Deeplearning4j: JavaPairRDD<K, INDArray>, and of DataSets). A MultiDataSet holds masks, and several inputs and
// outputs. A key may be any bytes and need not be unique. All examples of a data set have its key. Keys replace the
// metadata of the data sets. The examples are copied.
func FromKeyed(e engine.Engine, examples iter.Seq2[string, *data.MultiDataSet], partitions int) (*Data, error) {
	var sets []*data.MultiDataSet
	for key, m := range examples {
		if key == "" {
			return nil, fmt.Errorf("data set %d has an empty key", len(sets))
		}
		if m == nil {
			return nil, fmt.Errorf("the key %q has no data set", key)
		}
		keyed := *m
		keyed.Meta = nil
		if err := keyed.Validate(); err != nil {
			return nil, fmt.Errorf("the data set of the key %q: %w", key, err)
		}
		keyed.Meta = slices.Repeat([]string{key}, m.Examples())
		sets = append(sets, &keyed)
	}
	return FromDataSets(e, sets, partitions)
}

// keyText returns the key in an example's metadata: the metadata itself, or the cells of a query's columns as text.
func keyText[C any](meta string, columns []C) string {
	if len(columns) == 0 || meta == "" {
		return meta
	}
	cells, err := engine.Cells([]byte(meta))
	if err != nil || len(cells) != len(columns) {
		return meta
	}
	if len(cells) == 1 {
		return string(cells[0].Text)
	}
	fields := make([]string, len(cells))
	for i, c := range cells {
		fields[i] = string(c.Text)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(fields)
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// example names an example in messages, by its key if it has one.
type example struct {
	partition, at int
	meta          []string // of a minibatch that begins with the example
	columns       []string
}

func (x example) String() string {
	key := ""
	if len(x.meta) > 0 {
		key = keyText(x.meta[0], x.columns)
	}
	switch {
	case key == "":
		return fmt.Sprintf("example %d of partition %d", x.at, x.partition)
	case len(x.columns) > 0:
		return fmt.Sprintf("the example with %s = %s", strings.Join(x.columns, ","), strconv.Quote(key))
	}
	return "the example with the key " + strconv.Quote(key)
}
