// Package literal handles settings that a literal omits, such as the epsilon of updater.Adam{LearningRate: 0.01}. They
// are 0, which means the default; if there is none, they are refused. Zeros from a file or from a New… function stay:
// then the struct's field meant is true.
package literal

import (
	"fmt"
	"reflect"
)

// Or returns x, or usual if a literal omits x.
func Or(x, usual float64, meant bool) float64 {
	if x == 0 && !meant {
		return usual
	}
	return x
}

// Setting is a number and its name.
type Setting struct {
	Name  string
	Value float64
}

// Number returns a setting of that name and value.
func Number(name string, value float64) Setting { return Setting{name, value} }

// AnyZero reports whether a setting is 0.
func AnyZero(settings ...Setting) bool { return firstZero(settings) != nil }

func firstZero(settings []Setting) *Setting {
	for _, s := range settings {
		if s.Value == 0 {
			return &s
		}
	}
	return nil
}

// Refuse returns an error for the first setting that a literal omits. instead tells how to set an intended 0.
func Refuse(where, instead string, meant bool, settings ...Setting) error {
	if s := firstZero(settings); s != nil && !meant {
		return fmt.Errorf("%s: %s is 0; set it, or use %s", where, s.Name, instead)
	}
	return nil
}

// Default is a setting and its default value.
type Default struct {
	Setting *float64
	Usual   float64
}

// Usually returns a setting with its default.
func Usually(setting *float64, usual float64) Default { return Default{setting, usual} }

// Fill sets the settings that are 0 to their defaults, unless zeros are intended. Those from a file are intended from
// then on.
func Fill(meant *bool, fromFile bool, defaults ...Default) {
	for _, d := range defaults {
		switch {
		case *d.Setting != 0 || *meant:
		case fromFile:
			*meant = true
		default:
			*d.Setting = d.Usual
		}
	}
}

// FillFrom sets the numbers of a struct that are 0 to usual's. A number X stays 0 if it is replaced by a schedule in
// the field XSchedule.
func FillFrom[T any](v *T, usual T) {
	to, from := reflect.ValueOf(v).Elem(), reflect.ValueOf(usual)
	for i := range to.NumField() {
		x := to.Field(i)
		schedule := to.FieldByName(to.Type().Field(i).Name + "Schedule")
		if x.Kind() == reflect.Float64 && x.Float() == 0 && !(schedule.IsValid() && !schedule.IsNil()) {
			x.Set(from.Field(i))
		}
	}
}
