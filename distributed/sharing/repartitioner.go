package sharing

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// Layout is the input of a [Repartitioner]: the data and the settings.
type Layout struct {
	// Partitions holds the number of examples of each partition of the data set. Examples are numbered from 0 in the
	// order of partitions.
	Partitions []int
	Workers    int
	Batch      int // examples of a minibatch
	Seed       uint64
}

// Examples returns the total number of examples.
func (l Layout) Examples() int {
	n := 0
	for _, p := range l.Partitions {
		n += p
	}
	return n
}

// Repartitioner spreads the examples over partitions (Deeplearning4j: Repartitioner). Each partition has a worker,
// which trains all its examples in each epoch. If there are more partitions than workers, neighbours are joined. It is
// a plain value that reads and writes JSON by the table Repartitioners. Register your own by name there.
type Repartitioner interface {
	// Assign returns the examples of each partition. Each example must be in exactly one. Partitions without examples
	// are left out.
	Assign(l Layout) (engine.Assignment, error)
	// Validate checks the settings.
	Validate() error
}

// Repartitioners has the Java class of each Repartitioner.
var Repartitioners = dl4j.NewClasses[Repartitioner]("repartitioner")

// DefaultRepartitioner puts the examples in the order of the seed, and divides that into equal partitions: as many as
// there are workers, but no more than MaxPartitions, or than there are minibatches. Deeplearning4j differs: it makes a
// partition of each minibatch, from which the workers are served, and keeps the order.
type DefaultRepartitioner struct {
	MaxPartitions int `dl4j:"maxPartitions"` // 5,000 in NewDefaultRepartitioner
}

// NewDefaultRepartitioner returns Deeplearning4j's default.
func NewDefaultRepartitioner() DefaultRepartitioner { return DefaultRepartitioner{MaxPartitions: 5000} }

// Validate checks the settings.
func (r DefaultRepartitioner) Validate() error {
	if r.MaxPartitions < 1 {
		return fmt.Errorf("gradient sharing: DefaultRepartitioner: maxPartitions is %d, it must be at least 1",
			r.MaxPartitions)
	}
	return nil
}

// Assign spreads the examples.
func (r DefaultRepartitioner) Assign(l Layout) (engine.Assignment, error) {
	n := l.Examples()
	return equal(l, min(r.MaxPartitions, l.Workers, (n+l.Batch-1)/l.Batch)), nil
}

// equal divides the seed's order into equal partitions.
func equal(l Layout, parts int) engine.Assignment {
	n := l.Examples()
	return engine.Assignment{Ends: engine.EvenEnds(n, max(1, parts)), Seed: &l.Seed}
}

func inferRepartitioner(tree any) any {
	o, ok := tree.(dl4j.Object)
	if _, tagged := o.Get("@class"); !ok || tagged {
		return tree
	}
	if _, has := o.Get("maxPartitions"); !has {
		return tree
	}
	return append(dl4j.Object{{Name: "@class", Value: javaRepartitioner}}, o...)
}

const javaRepartitioner = "org.deeplearning4j.spark.impl.repartitioner.DefaultRepartitioner"

func init() {
	Repartitioners.Register(javaRepartitioner, func() Repartitioner { return NewDefaultRepartitioner() })
}

// deprecated applies Repartition and RepartitionStrategy, as a Repartitioner.
type deprecated struct {
	when Repartition
	how  Strategy
}

func (d deprecated) Validate() error { return nil }

func (d deprecated) Assign(l Layout) (engine.Assignment, error) {
	if d.when == Never || d.when == NumPartitionsWorkersDiffers && len(l.Partitions) == l.Workers {
		if len(l.Partitions) > l.Workers {
			return engine.Assignment{},
				fmt.Errorf("gradient sharing: repartition Never needs a worker for each of %d partitions, and there are %d; "+
					"use as many workers, or a repartitioner", len(l.Partitions), l.Workers)
		}
		a := engine.Assignment{}
		for _, n := range l.Partitions {
			a.Ends = append(a.Ends, a.Rows()+n)
		}
		return a, nil
	}
	if d.how != SparkDefault {
		return equal(l, min(l.Workers, l.Examples())), nil
	}
	parts := make([][]int64, l.Workers)
	for i := range l.Examples() {
		w := min(int(random.Uniform(l.Seed, uint64(i))*float32(l.Workers)), l.Workers-1)
		parts[w] = append(parts[w], int64(i))
	}
	a := engine.Assignment{}
	for _, p := range parts {
		a.Order = append(a.Order, p...)
		a.Ends = append(a.Ends, len(a.Order))
	}
	return a, nil
}

// shares joins the partitions of an assignment for the workers: none is empty, and there are no more than workers.
func shares(a engine.Assignment, workers int) engine.Assignment {
	var filled []int
	at := 0
	for _, end := range a.Ends {
		if end > at {
			filled = append(filled, end)
		}
		at = end
	}
	if len(filled) <= workers {
		a.Ends = filled
		return a
	}
	out := a
	out.Ends = nil
	for _, last := range engine.EvenEnds(len(filled), workers) {
		out.Ends = append(out.Ends, filled[last-1])
	}
	return out
}
