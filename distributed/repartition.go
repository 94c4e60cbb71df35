package distributed

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// Strategy chooses how examples are spread over partitions (Deeplearning4j: RepartitionStrategy).
type Strategy string

const (
	// Balanced divides the examples, in their order, into partitions of equal size. If they don't divide evenly, the
	// first ones have one more.
	Balanced Strategy = "Balanced"
	// SparkDefault sends each example to a random partition; examples of a partition keep their order. Deeplearning4j
	// differs: there Spark chooses the partition; here the seed does.
	SparkDefault Strategy = "SparkDefault"
)

// Repartition spreads the examples over n partitions.
func (d *Data) Repartition(ctx context.Context, s Strategy, n int, seed uint64) (*Data, error) {
	if n < 1 {
		return nil, fmt.Errorf("%d partitions were asked for", n)
	}
	examples, err := d.Count(ctx)
	if err != nil {
		return nil, err
	}
	var a engine.Assignment
	switch s {
	case Balanced:
		a.Ends = engine.EvenEnds(examples, n)
	case SparkDefault:
		a.Order = make([]int64, 0, examples)
		parts := make([][]int64, n)
		r := random.NewSource(random.Mix(seed, uint64(n)))
		for i := range examples {
			p := r.Intn(n)
			parts[p] = append(parts[p], int64(i))
		}
		for _, part := range parts {
			a.Order = append(a.Order, part...)
			a.Ends = append(a.Ends, len(a.Order))
		}
	default:
		return nil, fmt.Errorf("repartition strategy %q is neither %s nor %s", s, Balanced, SparkDefault)
	}
	indexed, err := d.Indexed(ctx)
	if err != nil {
		return nil, err
	}
	out := &Data{rows: indexed.Exchange(a), keys: d.keys, counts: make([]int64, n)}
	for p := range n {
		from, to := a.Places(p)
		out.counts[p] = int64(to - from)
	}
	return out, nil
}

// Indexed returns the data with the examples' places as the rows' indices: 0 … N-1 in the order of partitions.
func (d *Data) Indexed(ctx context.Context) (*engine.Dataset, error) {
	counts, err := d.Counts(ctx)
	if err != nil {
		return nil, err
	}
	return d.asCounted().IndexCounted(counts), nil
}

// Assign moves each example to the partition and place that the assignment has for its index. Rows keep their indices.
// In this way, training moves all examples of an epoch to their workers at once: each worker has partitions of its own,
// and a round selects the partitions that it needs.
//
// The result is persisted at the given level, or on disk for NONE, as Spark keeps shuffled rows. The caller must
// unpersist it. Rows in memory are not copied. Rows of [source.Stored] data refer to the examples, and [Minibatches]
// reads these.
func (d *Data) Assign(ctx context.Context, a engine.Assignment, level engine.StorageLevel) (*engine.Dataset, error) {
	return d.AssignFirst(ctx, a, len(a.Ends), level)
}

// AssignFirst is [Data.Assign] for a caller that reads only the first partitions, as many as used says. The other
// partitions may be empty, because examples on disk are not moved to them.
func (d *Data) AssignFirst(ctx context.Context, a engine.Assignment, used int, level engine.StorageLevel) (
	*engine.Dataset, error) {
	if d.stored != nil {
		return d.stored.assign(ctx, d.Engine(), a, used)
	}
	indexed, err := d.Indexed(ctx)
	if err != nil {
		return nil, err
	}
	if level == engine.None {
		level = engine.DiskOnly
	}
	return indexed.Exchange(a).Persist(level), nil
}
