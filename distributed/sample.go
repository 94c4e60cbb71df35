package distributed

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/engine"
)

// EvenSample brings a sample to the driver, as one minibatch of at most the given number of examples: those whose
// positions in their partitions are multiples of a power of two. The workers read all examples. It returns nil if there
// are none.
func EvenSample(ctx context.Context, d *Data, most int) (*data.MultiDataSet, error) {
	if most < 1 {
		return nil, fmt.Errorf("a sample of %d examples", most)
	}
	all := thinned{distance: 1}
	each := max(1, 2*most/max(1, d.Partitions()))
	err := d.rows.Map(thin.With(each)).Collect(ctx, func(_ int, row engine.Row) error {
		return all.join(row.Bytes)
	})
	if err != nil {
		return nil, d.explain(ctx, err)
	}
	for len(all.rows) > most {
		all.widen(2 * all.distance)
	}
	if len(all.rows) == 0 {
		return nil, nil
	}
	return data.DecodeRows(all.rows)
}

// thin writes evenly spaced rows of a partition, at most most: first their distance, then each row after its number.
var thin = engine.Register("distributed.thin", func(_ *engine.Task, most int, in engine.Rows,
	out engine.Writer) error {
	kept := thinned{distance: 1}
	n := 0
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		if n%kept.distance == 0 {
			kept.add(n, slices.Clone(row.Bytes))
			if len(kept.rows) > most {
				kept.widen(2 * kept.distance)
			}
		}
		n++
	}
	if err := out.Write(engine.Unindexed(binary.AppendUvarint(nil, uint64(kept.distance)))); err != nil {
		return err
	}
	for i, row := range kept.rows {
		b := append(binary.AppendUvarint(nil, uint64(kept.numbers[i])), row...)
		if err := out.Write(engine.Unindexed(b)); err != nil {
			return err
		}
	}
	return nil
})

// thinned has every distance-th row of each partition. The distance is a power of two.
type thinned struct {
	distance int
	numbers  []int
	rows     [][]byte
}

func (t *thinned) add(number int, row []byte) {
	t.numbers, t.rows = append(t.numbers, number), append(t.rows, row)
}

// widen drops rows, so that others are farther apart.
func (t *thinned) widen(distance int) {
	if distance <= t.distance {
		return
	}
	t.distance = distance
	kept := 0
	for i, n := range t.numbers {
		if n%distance == 0 {
			t.numbers[kept], t.rows[kept] = n, t.rows[i]
			kept++
		}
	}
	clear(t.rows[kept:])
	t.numbers, t.rows = t.numbers[:kept], t.rows[:kept]
}

// join adds a row that thin has written. Partitions come one after the other, each with its distance first.
func (t *thinned) join(b []byte) error {
	n, size := binary.Uvarint(b)
	switch {
	case size <= 0 || n > 1<<62:
		return errors.New("a row of a sample has no number")
	case size == len(b):
		t.widen(int(n))
	case int(n)%t.distance == 0:
		t.add(int(n), b[size:])
	}
	return nil
}
