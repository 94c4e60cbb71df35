package decimal

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestParse compares with strconv, bit by bit, on numbers of all lengths and on texts that look like numbers.
func TestParse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 9))
	var buf []byte
	for i := range 400_000 {
		buf = appendLikelyNumber(buf[:0], r, i)
		checkDecimal(t, string(buf))
	}
	for _, s := range []string{"", "-", "+", ".", "-.", "..", "1..2", "1e", "e1", ".e1", "1e+", "1.e2", "0e9999",
		"0e10000", "9007199254740993", "9007199254740993.0", "0.000000000000000000001",
		"18446744073709551616",
		"9999999999999999999", "99999999999999999999", "1e22", "1e23", "1e27", "1e28",
		"5e-27", "5e-28", "1234567.", ".1234567",
		"-0",
		"-0.0", "١٢", "12345678", "123456789", "1234567a",
		"/1234567", ":1234567", "1 ", " 1", "1.5e-5", "1.5E+05", "0x10", "1_0"} {
		checkDecimal(t, s)
	}
}

// appendLikelyNumber appends a random number, or a text that is almost one.
func appendLikelyNumber(to []byte, r *rand.Rand, i int) []byte {
	switch i % 7 {
	case 6: // halfway between two floats of 32 bits, or next to it
		x := math.Float32frombits(r.Uint32())
		y := math.Float64frombits(math.Float64bits(float64(x)) | 1<<28)
		to = strconv.AppendFloat(to, y, "eg"[r.IntN(2)], 9+r.IntN(12), 64)
	case 0:
		to = strconv.AppendFloat(to, math.Float64frombits(r.Uint64()), 'g', -1, 64)
	case 1:
		to = strconv.AppendFloat(to, r.NormFloat64(), 'f', r.IntN(20), 64)
	case 2:
		to = strconv.AppendFloat(to, r.NormFloat64()*math.Pow(10, float64(r.IntN(40)-20)), 'e', r.IntN(20), 64)
	case 3:
		to = strconv.AppendUint(to, r.Uint64()>>r.IntN(64), 10)
	case 4: // halfway between two doubles, or next to it
		half := new([40]byte)
		text := strconv.AppendUint(half[:0], (r.Uint64()|1<<63)>>10|1, 10)
		to = append(append(append(to, text...), 'e'), strconv.Itoa(r.IntN(50)-25)...)
	default:
		for range r.IntN(24) {
			to = append(to, "0123456789012345678901234567890.e+-x"[r.IntN(36)])
		}
	}
	if len(to) > 0 && r.IntN(10) == 0 {
		to[r.IntN(len(to))] = byte(r.IntN(256))
	}
	return to
}

// checkDecimal expects strconv's result; Parse may refuse other texts.
func checkDecimal(t *testing.T, s string) {
	t.Helper()
	got, ok := Parse(s)
	want, err := strconv.ParseFloat(s, 64)
	if ok && (err != nil || math.Float64bits(got) != math.Float64bits(want)) {
		t.Fatalf("%q is %v (%016x), want %v (%016x), %v", s, got, math.Float64bits(got), want, math.Float64bits(want), err)
	}
	for _, behind := range []string{"", ",1234567", "9999999999"} {
		all := "7" + s + behind
		from, to := uint32(1), uint32(1+len(s))
		if x, same := Between(all, from, to); same != ok || math.Float64bits(x) != math.Float64bits(got) {
			t.Fatalf("%q before %q is %v, %t, want %v, %t", s, behind, x, same, got, ok)
		}
		single, fine := Single(all, from, to)
		want, err := strconv.ParseFloat(s, 32)
		if fine && (err != nil || math.Float32bits(single) != math.Float32bits(float32(want))) {
			t.Fatalf("%q in 32 bits is %v, want %v, %v", s, single, want, err)
		}
		if ok && !fine && err == nil {
			t.Fatalf("%q is not read in 32 bits", s)
		}
	}
}

// TestUsualNumbersAreRead expects that the usual numbers are read, without strconv.
func TestUsualNumbersAreRead(t *testing.T) {
	for _, s := range []string{"1", "-1", "+12", "0.5", ".5", "5.", "1234567.8", "0.8444218515250481", "-1.5e-05", "1e10",
		"9999999999999999999", "123456789012.3456789", "0.00000012"} {
		if _, ok := Parse(s); !ok {
			t.Errorf("%q is not read", s)
		}
	}
}

// FuzzParse looks for texts that strconv reads differently.
func FuzzParse(f *testing.F) {
	f.Add("-12.50")
	f.Fuzz(checkDecimal)
}

// BenchmarkParse reads numbers as they are in CSV files.
func BenchmarkParse(b *testing.B) {
	for _, format := range []string{"2", "6", "shortest"} {
		b.Run(format, func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			digits := map[string]int{"2": 2, "6": 6, "shortest": -1}[format]
			var texts [1024]string
			for i := range texts {
				texts[i] = strconv.FormatFloat(100*r.NormFloat64(), 'f', digits, 64)
			}
			for i := 0; b.Loop(); i++ {
				Parse(texts[i&1023])
			}
		})
	}
}
