package joda

// Spans of time in milliseconds.
const (
	second = int64(1000)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
	week   = 7 * day
	year   = int64(31556952000) // on average; only for comparing fields
	month  = year / 12
)

// floorDiv divides by a positive number and rounds down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if q*b > a {
		q--
	}
	return q
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }

func leap(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }

// daysBefore is the number of days of a year before each month.
var daysBefore = [13]int64{0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365}

// monthStart returns the number of days of the year before month m, from 1 to 13.
func monthStart(y, m int64) int64 {
	if m > 2 && leap(y) {
		return daysBefore[m-1] + 1
	}
	return daysBefore[m-1]
}

func daysIn(y, m int64) int64 { return monthStart(y, m+1) - monthStart(y, m) }

// yearStart returns the first millisecond of a year, in local time.
func yearStart(y int64) int64 {
	p := y - 1
	return (p*365 + floorDiv(p, 4) - floorDiv(p, 100) + floorDiv(p, 400) - 719162) * day
}

// yearOf returns the year of a local time.
func yearOf(t int64) int64 {
	y, _, _ := date(t)
	return y
}

// date returns the year, month and day of a local time.
func date(t int64) (y, m, d int64) { return dateOfDay(floorDiv(t, day)) }

// dateOfDay returns the year, month and day of a day, counted from 1970-01-01. It counts days within the 400-year
// cycle of leap years, and begins years on March 1, so that a leap day is the last day of its year.
func dateOfDay(days int64) (y, m, d int64) {
	const cycle = 400*365 + 97
	days += 719468 // since March 1 of the year 0
	c := floorDiv(days, cycle)
	n := uint32(days - c*cycle)
	years := (n - n/1460 + n/36524 - n/146096) / 365
	n -= 365*years + years/4 - years/100
	month := (5*n + 2) / 153
	y, m, d = int64(years)+400*c, int64(month)+3, int64(n-(153*month+2)/5)+1
	if m > 12 {
		m -= 12
		y++
	}
	return y, m, d
}

// dateTime returns the local time of a date at a time of the day.
func dateTime(y, m, d, millis int64) int64 {
	return yearStart(y) + (monthStart(y, m)+d-1)*day + millis
}

func dayOfWeek(t int64) int64 { return weekday(floorDiv(t, day)) }

// weekday returns the day of the week, from 1 for Monday, of a day counted from 1970-01-01.
func weekday(days int64) int64 { return floorMod(days+3, 7) + 1 }

// weekyearStart returns the Monday of the week with January 4.
func weekyearStart(y int64) int64 {
	t := yearStart(y) + 3*day
	return t - (dayOfWeek(t)-1)*day
}

func weekyearOf(t int64) int64 {
	y := yearOf(t)
	switch {
	case t < weekyearStart(y):
		return y - 1
	case t >= weekyearStart(y+1):
		return y + 1
	}
	return y
}

func weekOf(t int64) int64 { return floorDiv(t-weekyearStart(weekyearOf(t)), week) + 1 }

func weeksIn(y int64) int64 { return (weekyearStart(y+1) - weekyearStart(y)) / week }
