package pipeline

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
)

// Midpoint is a reduction of a String column of places, "LATITUDE,LONGITUDE" in degrees, to the one in their middle
// (org.datavec.api.transform.reduce.geo.GeographicMidpointReduction): the mean of the points on the sphere.
type Midpoint struct {
	// Delimiter stands between the two numbers, and in the result.
	Delimiter string `dl4j:"delim"`
	// Name is that of the new column. The empty one is midpoint(NAME).
	Name string `dl4j:"newColumnName,zeronull"`
}

const midpointClass = "org.datavec.api.transform.reduce.geo.GeographicMidpointReduction"

// UnmarshalTree reads DataVec's form, which lacks the class.
func (m *Midpoint) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a custom reduction is an object with the members delim and newColumnName")
	}
	if class, _ := o.Get("@class"); class != nil && class != midpointClass {
		return fmt.Errorf("%.100q is no custom reduction: there is %s", fmt.Sprint(class), midpointClass)
	}
	type plain Midpoint
	p := plain{Delimiter: ","}
	if err := dl4j.FromTree(o.Without("@class"), &p); err != nil {
		return err
	}
	*m = Midpoint(p)
	return nil
}

// radians is one degree.
const radians = math.Pi / 180

// middle is a Midpoint in the making.
type middle struct {
	delimiter string
	axes      [3]exactSum
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

// add takes a place that placeOf has read before.
func (a *middle) add(v Value) {
	lat, long, err := placeOf(v, a.delimiter)
	if err != nil {
		lat, long = math.NaN(), math.NaN()
	}
	a.axes[0].add(math.Cos(lat) * math.Cos(long))
	a.axes[1].add(math.Cos(lat) * math.Sin(long))
	a.axes[2].add(math.Sin(lat))
}

func (a *middle) merge(later accumulator) {
	for i := range a.axes {
		a.axes[i].merge(&later.(*middle).axes[i])
	}
}

func (a *middle) result() Value {
	n := float64(a.axes[0].n)
	if n == 0 {
		return Null()
	}
	x, y, z := a.axes[0].value()/n, a.axes[1].value()/n, a.axes[2].value()/n
	long := math.Atan2(y, x) / radians
	lat := math.Atan2(z, math.Sqrt(x*x+y*y)) / radians
	return Text(Double(lat).String() + a.delimiter + Double(long).String())
}
