package updater

import (
	"math"
	"reflect"
)

// Scaled returns the updater with its learning rate, and the values of its schedule, multiplied by a factor. ok is
// false if it has no learning rate, or a schedule of another package.
func Scaled(u Updater, by float64) (scaled Updater, ok bool) {
	u = Complete(u)
	if u == nil || reflect.TypeOf(u).Kind() != reflect.Struct {
		return u, false
	}
	v := reflect.New(reflect.TypeOf(u)).Elem()
	v.Set(reflect.ValueOf(u))
	rate, schedule := v.FieldByName("LearningRate"), v.FieldByName("LearningRateSchedule")
	if schedule.IsValid() && !schedule.IsZero() {
		s, ok := schedule.Interface().(Schedule)
		if !ok {
			return u, false
		}
		if s, ok = scaledSchedule(s, by); !ok {
			return u, false
		}
		schedule.Set(reflect.ValueOf(s))
		return v.Interface().(Updater), true
	}
	if !rate.IsValid() || rate.Kind() != reflect.Float64 || math.IsNaN(rate.Float()) {
		return u, false
	}
	rate.SetFloat(rate.Float() * by)
	return v.Interface().(Updater), true
}

// scaledSchedule returns the schedule with its values multiplied by a factor.
func scaledSchedule(s Schedule, by float64) (scaled Schedule, ok bool) {
	switch s := s.(type) {
	case FixedSchedule:
		s.V *= by
		return s, true
	case ExponentialSchedule:
		s.InitialValue *= by
		return s, true
	case InverseSchedule:
		s.InitialValue *= by
		return s, true
	case PolySchedule:
		s.InitialValue *= by
		return s, true
	case SigmoidSchedule:
		s.InitialValue *= by
		return s, true
	case StepSchedule:
		s.InitialValue *= by
		return s, true
	case CycleSchedule:
		s.InitialLearningRate *= by
		s.MaxLearningRate *= by
		return s, true
	case MapSchedule:
		values := ScheduleValues{}
		for at, v := range s.Values {
			values[at] = v * by
		}
		s.Values = values
		return s, true
	case RampSchedule:
		s.Base, ok = scaledSchedule(s.Base, by)
		return s, ok
	}
	return s, false
}
