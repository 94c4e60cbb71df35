package updater

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
)

// MapSchedule has the value of the largest key that is at most i, where i is the iteration or the epoch.
// (Deeplearning4j: MapSchedule.)
type MapSchedule struct {
	Type   ScheduleType   `dl4j:"scheduleType"`
	Values ScheduleValues `dl4j:"values"`
}

// ScheduleValues maps iterations or epochs to the values that hold from then on. Key 0 is required.
type ScheduleValues map[int]float64

// Value is the value at i = iteration or epoch.
func (s MapSchedule) Value(iteration, epoch int) float64 {
	i := int(s.Type.count(iteration, epoch))
	best := 0
	for k := range s.Values {
		if k <= i && k > best {
			best = k
		}
	}
	return s.Values[best]
}

// Validate requires finite numbers, a value for 0, and no negative keys.
func (s MapSchedule) Validate() error {
	if _, ok := s.Values[0]; !ok {
		return fmt.Errorf("MapSchedule: it has no value for 0")
	}
	for _, k := range slices.Sorted(maps.Keys(s.Values)) {
		if k < 0 {
			return fmt.Errorf("MapSchedule: key %d is negative", k)
		}
		if err := finite("MapSchedule", s.Type, literal.Number(strconv.Itoa(k), s.Values[k])); err != nil {
			return err
		}
	}
	return nil
}

// MarshalTree writes the keys as strings, in the order of Java's HashMap.
func (v ScheduleValues) MarshalTree() (any, error) {
	buckets := 16
	for 4*len(v) > 3*buckets {
		buckets *= 2
	}
	bucket := func(k int) int { return (k ^ k>>16) & (buckets - 1) }
	keys := slices.SortedFunc(maps.Keys(v), func(a, b int) int {
		return cmp.Or(cmp.Compare(bucket(a), bucket(b)), cmp.Compare(a, b))
	})
	o := make(dl4j.Object, 0, len(v))
	for _, k := range keys {
		o = append(o, dl4j.Member{Name: strconv.Itoa(k), Value: v[k]})
	}
	return o, nil
}

// UnmarshalTree reads the tree of MarshalTree.
func (v *ScheduleValues) UnmarshalTree(tree any) error {
	var byName map[string]float64
	if err := dl4j.FromTree(tree, &byName); err != nil {
		return err
	}
	*v = ScheduleValues{}
	for name, x := range byName {
		k, err := strconv.ParseInt(name, 10, 32)
		if err != nil {
			return fmt.Errorf("key %q is not a whole number of 32 bits", name)
		}
		(*v)[int(k)] = x
	}
	return nil
}

func init() {
	ScheduleClasses.Register(schedulePackage+"MapSchedule", func() Schedule { return MapSchedule{Type: Iteration} })
}
