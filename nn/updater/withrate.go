package updater

import "reflect"

// WithRate returns the updater with a fixed learning rate instead of its schedule. ok is false if it has no learning
// rate: a struct with a field LearningRate has one.
func WithRate(u Updater, rate float64) (with Updater, ok bool) {
	u = Complete(u)
	if u == nil || reflect.TypeOf(u).Kind() != reflect.Struct {
		return u, false
	}
	v := reflect.New(reflect.TypeOf(u)).Elem()
	v.Set(reflect.ValueOf(u))
	f := v.FieldByName("LearningRate")
	if !f.IsValid() || f.Kind() != reflect.Float64 {
		return u, false
	}
	f.SetFloat(rate)
	if s := v.FieldByName("LearningRateSchedule"); s.IsValid() {
		s.SetZero()
	}
	return v.Interface().(Updater), true
}
