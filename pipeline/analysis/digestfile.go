package analysis

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
)

// The Java-serialised form of a MergingDigest, in the Java Object Serialization Stream Protocol.

// The sizes of its arrays for compression 100.
const (
	digestMeans  = 210 // of the means and weights
	digestFresh  = 500 // of the numbers that are not joined yet
	digestStream = 13986
)

// javaWriter writes the parts of a stream.
type javaWriter struct{ b []byte }

func (w *javaWriter) bytes(b ...byte)     { w.b = append(w.b, b...) }
func (w *javaWriter) short(n int)         { w.b = binary.BigEndian.AppendUint16(w.b, uint16(n)) }
func (w *javaWriter) int(n int)           { w.b = binary.BigEndian.AppendUint32(w.b, uint32(n)) }
func (w *javaWriter) long(n uint64)       { w.b = binary.BigEndian.AppendUint64(w.b, n) }
func (w *javaWriter) double(x float64)    { w.long(math.Float64bits(x)) }
func (w *javaWriter) string(s string)     { w.short(len(s)); w.b = append(w.b, s...) }
func (w *javaWriter) reference(index int) { w.bytes(tcReference); w.int(firstHandle + index) }

// class begins the description of a class: its fields follow, and then endOfClass.
func (w *javaWriter) class(name string, uid uint64, flags byte, fields int) {
	w.bytes(tcClassDesc)
	w.string(name)
	w.long(uid)
	w.bytes(flags)
	w.short(fields)
}

// field describes a field of a primitive type. After a field of an object type, write the type's name.
func (w *javaWriter) field(kind byte, name string) {
	w.bytes(kind)
	w.string(name)
}

func (w *javaWriter) typeName(s string) {
	w.bytes(tcString)
	w.string(s)
}

// serialized returns the digest as base64 of a stream.
func (d *Digest) serialized() string {
	w := &javaWriter{make([]byte, 0, digestStream)}
	w.bytes(0xac, 0xed, 0, 5, tcObject)
	w.describe()
	w.double(d.high)
	w.double(d.low)
	w.bytes(0) // recordAllData
	w.bytes(tcObject)
	w.class("java.util.Random", 0x363296344bf00a53, 3, 3)
	w.field('Z', "haveNextNextGaussian")
	w.field('D', "nextNextGaussian")
	w.field('J', "seed")
	w.bytes(tcEndBlockData, tcNull)
	w.bytes(0)
	w.double(0)
	w.long(0x5deece66d) // the seed of new Random(0), which only shuffles tests
	w.bytes(tcEndBlockData)
	w.double(d.compression)
	w.int(len(d.centroids))
	w.int(0) // tempUsed
	w.double(d.total)
	w.double(0) // unmergedWeight
	w.bytes(tcNull)
	size := max(digestMeans, len(d.centroids)+1)
	w.bytes(tcArray)
	w.class("[D", 0x3ea68c14ab635a1e, 2, 0)
	w.bytes(tcEndBlockData, tcNull)
	w.doubles(size, d.centroids, func(c centroid) float64 { return c.mean })
	w.bytes(tcArray)
	w.class("[I", 0x4dba602676eab2a5, 2, 0)
	w.bytes(tcEndBlockData, tcNull)
	w.int(digestFresh)
	w.bytes(make([]byte, 4*digestFresh)...)
	w.bytes(tcNull)    // tempData
	const doubles = 10 // the handle of the class [D
	for range 2 {
		w.bytes(tcArray)
		w.reference(doubles)
		w.doubles(digestFresh, nil, nil)
	}
	w.bytes(tcArray)
	w.reference(doubles)
	w.doubles(size, d.centroids, func(c centroid) float64 { return c.weight })
	return base64.StdEncoding.EncodeToString(w.b)
}

// describe writes the classes of a MergingDigest. Handles number classes, objects and type names in their order.
func (w *javaWriter) describe() {
	const pkg = "com.tdunning.math.stats."
	w.class(pkg+"MergingDigest", 0xd24669b120bd35c9, 2, 12) // handle 0
	w.field('D', "compression")
	w.field('I', "lastUsedCell")
	w.field('I', "tempUsed")
	w.field('D', "totalWeight")
	w.field('D', "unmergedWeight")
	w.field('L', "data")
	w.typeName("Ljava/util/List;") // 1
	w.field('[', "mean")
	w.typeName("[D") // 2
	w.field('[', "order")
	w.typeName("[I") // 3
	w.field('L', "tempData")
	w.reference(1)
	for _, name := range []string{"tempMean", "tempWeight", "weight"} {
		w.field('[', name)
		w.reference(2)
	}
	w.bytes(tcEndBlockData)
	w.class(pkg+"AbstractTDigest", 0x55d20ed74105525f, 2, 2) // 4
	w.field('Z', "recordAllData")
	w.field('L', "gen")
	w.typeName("Ljava/util/Random;") // 5
	w.bytes(tcEndBlockData)
	w.class(pkg+"TDigest", 0xc4fa429ab1295239, 2, 2) // 6
	w.field('D', "max")
	w.field('D', "min")
	w.bytes(tcEndBlockData, tcNull)
}

// doubles writes the length and the numbers of an array. The first numbers are those of the centroids.
func (w *javaWriter) doubles(size int, of []centroid, value func(centroid) float64) {
	w.int(size)
	for _, c := range of {
		w.double(value(c))
	}
	w.bytes(make([]byte, 8*(size-len(of)))...)
}

// deserialize reads a digest written by Java.
func (d *Digest) deserialize(text string) error {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return fmt.Errorf("the digest is not base64: %w", err)
	}
	r := &javaReader{b: b}
	o, err := r.stream()
	if err != nil {
		return fmt.Errorf("the digest, at byte %d: %w", r.at, err)
	}
	if o.class != "com.tdunning.math.stats.MergingDigest" {
		return fmt.Errorf("the digest is a %q, not a MergingDigest", o.class)
	}
	means, weights := o.arrays["mean"], o.arrays["weight"]
	used, fresh := int(o.numbers["lastUsedCell"]), int(o.numbers["tempUsed"])
	freshMeans, freshWeights := o.arrays["tempMean"], o.arrays["tempWeight"]
	if used < 0 || used > min(len(means), len(weights)) || fresh < 0 || fresh > min(len(freshMeans), len(freshWeights)) {
		return fmt.Errorf("the digest has %d and %d numbers, more than its arrays", used, fresh)
	}
	*d = Digest{compression: o.numbers["compression"], low: o.numbers["min"], high: o.numbers["max"]}
	if !(d.compression >= 1 && d.compression <= 1e6) {
		return fmt.Errorf("the digest has the compression %g", d.compression)
	}
	d.read(centroids(means[:used], weights), centroids(freshMeans[:fresh], freshWeights))
	for _, c := range d.centroids {
		if !(c.weight > 0) || math.IsNaN(c.mean) {
			return fmt.Errorf("the digest has %g numbers of the value %g", c.weight, c.mean)
		}
	}
	return nil
}

func centroids(means, weights []float64) []centroid {
	all := make([]centroid, len(means))
	for i, x := range means {
		all[i] = centroid{x, weights[i]}
	}
	return all
}
