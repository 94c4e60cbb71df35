package pipeline

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// Midpoint reduces a String column of places, "LATITUDE,LONGITUDE" in degrees, to their midpoint: the mean of the
// points on the sphere (org.datavec.api.transform.reduce.geo.GeographicMidpointReduction).
type Midpoint struct {
	// Delimiter separates the two numbers, also in the result.
	Delimiter string `dl4j:"delim"`
	// Name is the name of the new column. An empty one means midpoint(NAME).
	Name string `dl4j:"newColumnName,zeronull"`
}

const midpointClass = "org.datavec.api.transform.reduce.geo.GeographicMidpointReduction"

// UnmarshalTree reads DataVec's format, which lacks the class.
func (m *Midpoint) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a custom reduction is an object with the members delim and newColumnName")
	}
	if class, _ := o.Get("@class"); class != nil && class != midpointClass {
		return fmt.Errorf("%.100q is not a custom reduction: there is %s", fmt.Sprint(class), midpointClass)
	}
	type plain Midpoint
	p := plain{Delimiter: ","}
	if err := dl4j.FromTree(o.Without("@class"), &p); err != nil {
		return err
	}
	*m = Midpoint(p)
	return nil
}

// radians is one degree in radians, and degrees one radian in degrees.
const (
	radians float64 = math.Pi / 180
	degrees float64 = 180 / math.Pi
)

// middle accumulates a Midpoint. It keeps the places, and adds them in order at the end. The digits of its text are
// then those of DataVec, whatever the partitions of the rows were.
type middle struct {
	delimiter string
	places    [][2]float64
}

// placeOf reads a place, in radians.
func placeOf(v Value, delimiter string) (lat, long float64, err error) {
	x, y, ok := strings.Cut(v.String(), delimiter)
	if lat, err = Text(x).Double(); err == nil {
		long, err = Text(y).Double()
	}
	if !ok || v.IsNull() || err != nil {
		return 0, 0, &ValueError{v, "a place: LATITUDE" + delimiter + "LONGITUDE in degrees"}
	}
	return lat * radians, long * radians, nil
}

// add adds a place, which placeOf has accepted before.
func (a *middle) add(v Value) {
	lat, long, err := placeOf(v, a.delimiter)
	if err != nil {
		lat, long = math.NaN(), math.NaN()
	}
	a.places = append(a.places, [2]float64{lat, long})
}

func (a *middle) result() Value {
	if len(a.places) == 0 {
		return Null()
	}
	var x, y, z float64
	for _, p := range a.places {
		sinLat, cosLat := sincos(p[0])
		sinLong, cosLong := sincos(p[1])
		x += cosLat.high * cosLong.high
		y += cosLat.high * sinLong.high
		z += sinLat.high
	}
	n := float64(len(a.places))
	x, y, z = x/n, y/n, z/n
	long := atan2(y, x) * degrees
	lat := atan2(z, math.Sqrt(x*x+y*y)) * degrees
	return Text(Double(lat).String() + a.delimiter + Double(long).String())
}
