package source

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/internal/random"
)

// Take returns some minibatches of a source as a source of this name, or all of them if it has no more. From a [Table]
// or [Stored] data, it draws them at random, by the seed. From other sources, it takes the first ones; it reads them to
// count their examples. With a size of 0, it counts objects instead of minibatches.
func Take(s Source, name string, minibatches, size int, seed uint64) (Source, error) {
	most := minibatches * max(1, size)
	if t, ok := s.(Table); ok {
		return Subset(t, name, random.Permutation(seed, t.Objects())[:min(most, t.Objects())]), nil
	}
	if of, ok := s.(*Stored); ok {
		n := min(most, of.Objects())
		return of.Subset(name, n, slices.Values(random.Permutation(seed, of.Objects())[:n])), nil
	}
	first := &taken{Source: s, info: s.Info()}
	first.info.Name, first.info.Examples = name, 0
	for first.objects < s.Objects() {
		if size == 0 && first.objects == most || size > 0 && first.info.Examples >= most {
			break
		}
		m, err := s.Object(first.objects)
		if err != nil {
			return nil, err
		}
		first.objects++
		first.info.Examples += m.Examples()
	}
	return first, nil
}

// taken is a source of the first objects of another one.
type taken struct {
	Source
	info    Info
	objects int
}

func (s *taken) Info() Info   { return s.info }
func (s *taken) Objects() int { return s.objects }

func (s *taken) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= s.objects {
		return nil, fmt.Errorf("%s has no object %d: there are %d", s.info.Name, i, s.objects)
	}
	return s.Source.Object(i)
}
