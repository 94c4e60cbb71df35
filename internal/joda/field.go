package joda

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Field is a part of a time, with the name of Joda-Time's DateTimeFieldType: "hourOfDay".
type Field struct {
	name string
	// unit is the length of one unit, and span that of the period in which it is counted; 0 means no end. Parsing sets
	// fields with long units first.
	unit, span int64
	low, high  int64 // the limits of values, in any year
	get        func(local int64) int64
	set        func(local, v int64) int64 // nil if no pattern has it
	most       func(local int64) int64    // the largest value at this time, if it is not always high
	start      func(local int64) int64    // the start of the unit that contains the time; nil: multiples of unit
}

const manyYears = 292000000

// cyclic returns a field that counts units within a span, both of fixed length, from first on.
func cyclic(name string, unit, span, first int64) *Field {
	n := span / unit
	f := &Field{name: name, unit: unit, span: span, low: first, high: first + n - 1}
	f.get = func(t int64) int64 { return floorMod(floorDiv(t, unit)-first, n) + first }
	f.set = func(t, v int64) int64 { return t + (v%n-f.get(t)%n)*unit }
	return f
}

var (
	eraField = &Field{name: "era", unit: 1 << 62, low: 0, high: 1,
		get:   func(t int64) int64 { return b2i(yearOf(t) > 0) },
		set:   setEra,
		start: func(t int64) int64 { return yearStart(b2i(yearOf(t) > 0)) }}
	centuryField = &Field{name: "centuryOfEra", unit: 100 * year, high: manyYears / 100,
		get: func(t int64) int64 { return abs(yearOf(t)) / 100 },
		set: func(t, v int64) int64 { return setYear(t, v*100+abs(yearOf(t))%100) },
		start: func(t int64) int64 {
			return yearStart(floorDiv(yearOf(t), 100) * 100)
		}}
	yearField = &Field{name: "year", unit: year, low: -manyYears, high: manyYears, get: yearOf, set: setYear,
		start: func(t int64) int64 { return yearStart(yearOf(t)) }}
	yearOfEraField = &Field{name: "yearOfEra", unit: year, low: 1, high: manyYears, get: yearOfEra, set: setYearOfEra,
		start: func(t int64) int64 { return yearStart(yearOf(t)) }}
	monthField = &Field{name: "monthOfYear", unit: month, span: year, low: 1, high: 12,
		get: func(t int64) int64 { _, m, _ := date(t); return m },
		set: setMonth,
		start: func(t int64) int64 {
			y, m, _ := date(t)
			return dateTime(y, m, 1, 0)
		}}
	dayField = &Field{name: "dayOfMonth", unit: day, span: month, low: 1, high: 31,
		get: func(t int64) int64 { _, _, d := date(t); return d },
		set: func(t, v int64) int64 { _, _, d := date(t); return t + (v-d)*day },
		most: func(t int64) int64 {
			y, m, _ := date(t)
			return daysIn(y, m)
		}}
	dayOfYearField = &Field{name: "dayOfYear", unit: day, span: year, low: 1, high: 366, get: dayOfYear,
		set: func(t, v int64) int64 { return t + (v-dayOfYear(t))*day },
		most: func(t int64) int64 {
			y := yearOf(t)
			return (yearStart(y+1) - yearStart(y)) / day
		}}
	weekyearField = &Field{name: "weekyear", unit: year, low: -manyYears, high: manyYears, get: weekyearOf,
		set: setWeekyear, start: func(t int64) int64 { return weekyearStart(weekyearOf(t)) }}
	weekField = &Field{name: "weekOfWeekyear", unit: week, span: year, low: 1, high: 53, get: weekOf,
		set:   func(t, v int64) int64 { return t + (v-weekOf(t))*week },
		most:  func(t int64) int64 { return weeksIn(weekyearOf(t)) },
		start: func(t int64) int64 { return t - floorMod(t+3*day, week) }}
	weekdayField = &Field{name: "dayOfWeek", unit: day, span: week, low: 1, high: 7, get: dayOfWeek,
		set: func(t, v int64) int64 { return t + (v-dayOfWeek(t))*day }}
	halfdayField      = cyclic("halfdayOfDay", 12*hour, day, 0)
	hourField         = cyclic("hourOfDay", hour, day, 0)
	clockhourField    = cyclic("clockhourOfDay", hour, day, 1)
	halfHourField     = cyclic("hourOfHalfday", hour, 12*hour, 0)
	clockHalfField    = cyclic("clockhourOfHalfday", hour, 12*hour, 1)
	minuteField       = cyclic("minuteOfHour", minute, hour, 0)
	secondField       = cyclic("secondOfMinute", second, minute, 0)
	millisField       = cyclic("millisOfSecond", 1, second, 0)
	minuteOfDayField  = cyclic("minuteOfDay", minute, day, 0)
	secondOfDayField  = cyclic("secondOfDay", second, day, 0)
	millisOfDayField  = cyclic("millisOfDay", 1, day, 0)
	yearOfCentury     = &Field{name: "yearOfCentury", get: func(t int64) int64 { return abs(yearOf(t)) % 100 }}
	weekyearOfCentury = &Field{name: "weekyearOfCentury", get: yearOfCentury.get} // Joda-Time's does not look at weeks
)

var fields = []*Field{eraField, yearOfEraField, centuryField, yearOfCentury, yearField, dayOfYearField, monthField,
	dayField, weekyearOfCentury, weekyearField, weekField, weekdayField, halfdayField, halfHourField, clockHalfField,
	clockhourField, hourField, minuteOfDayField, minuteField, secondOfDayField, secondField, millisOfDayField, millisField}

// FieldNamed finds a field.
func FieldNamed(name string) (*Field, error) {
	if i := slices.IndexFunc(fields, func(f *Field) bool { return f.name == name }); i >= 0 {
		return fields[i], nil
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return nil, fmt.Errorf("there is no field %q of a time: there are %s", name, strings.Join(names, ", "))
}

// Of returns the field's value of an instant in a zone.
func (f *Field) Of(instant int64, zone *time.Location) int64 {
	return f.get(instant + offset(instant, zone))
}

// FieldsOf writes the fields of some instants in a zone: the values of fields[k] to values[k]. It computes the day of
// an instant once for all fields.
func FieldsOf(fields []*Field, instants []int64, zone *time.Location, values [][]int64) {
	if len(fields) == 0 {
		return
	}
	for i, t := range instants {
		t += offset(t, zone)
		days := floorDiv(t, day)
		y, m, d := dateOfDay(days)
		for k, f := range fields {
			v := int64(0)
			switch f {
			case yearField:
				v = y
			case monthField:
				v = m
			case dayField:
				v = d
			case dayOfYearField:
				v = monthStart(y, m) + d
			case weekdayField:
				v = weekday(days)
			default:
				v = f.get(t)
			}
			values[k][i] = v
		}
	}
}

// put sets the field to a value, which must be within its limits. floor clears all smaller fields.
func (f *Field) put(t, v int64, floor bool) (int64, error) {
	high := f.high
	if f.most != nil {
		high = f.most(t)
	}
	if v < f.low || v > high {
		return 0, fmt.Errorf("value %d for %s must be from %d to %d", v, f.name, f.low, high)
	}
	t = f.set(t, v)
	switch {
	case !floor:
		return t, nil
	case f.start != nil:
		t = f.start(t)
		return t, nil
	}
	return floorDiv(t, f.unit) * f.unit, nil
}

func b2i(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func abs(x int64) int64 { return max(x, -x) }

func dayOfYear(t int64) int64 {
	y, m, d := date(t)
	return monthStart(y, m) + d
}

// setYear keeps the month and the day; February 29 becomes the 28th if the year has no leap day.
func setYear(t, y int64) int64 {
	_, m, d := date(t)
	return dateTime(y, m, min(d, daysIn(y, m)), floorMod(t, day))
}

func setEra(t, v int64) int64 {
	if y := yearOf(t); (y > 0) != (v == 1) {
		return setYear(t, 1-y)
	}
	return t
}

func yearOfEra(t int64) int64 {
	if y := yearOf(t); y <= 0 {
		return 1 - y
	} else {
		return y
	}
}

func setYearOfEra(t, v int64) int64 {
	if yearOf(t) <= 0 {
		v = 1 - v
	}
	return setYear(t, v)
}

func setMonth(t, m int64) int64 {
	y, _, d := date(t)
	return dateTime(y, m, min(d, daysIn(y, m)), floorMod(t, day))
}

// setWeekyear keeps the week and the day of the week; week 53 becomes week 52 if the year has no week 53.
func setWeekyear(t, y int64) int64 {
	w := min(weekOf(t), weeksIn(y))
	return weekyearStart(y) + (w-1)*week + (dayOfWeek(t)-1)*day + floorMod(t, day)
}
