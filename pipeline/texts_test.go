package pipeline

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// checkNumbers compares the numbers of texts in one block of memory with the numbers that the general method reads
// from each text.
func checkNumbers(t *testing.T, list []string, room int) {
	t.Helper()
	var b textsBuilder
	for _, text := range list {
		b.add(text)
	}
	texts := TextsOf(b.all.String()+strings.Repeat(",", room), b.spans)
	for i, text := range list {
		if texts.At(i) != text {
			t.Fatalf("text %d is %q, want %q", i, texts.At(i), text)
		}
		got, gotErr := texts.double(i)
		s, ok := javaNumber(text)
		want, err := strconv.ParseFloat(s, 64)
		if !ok || err != nil && !math.IsInf(want, 0) {
			continue // hexadecimal, and errors: below
		}
		if gotErr != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q is %v (%v), want %v", text, got, gotErr, want)
		}
	}
	for i, text := range list {
		if x, ok := texts.number(i); ok {
			if _, number := javaNumber(text); !number {
				t.Fatalf("%q is the number %v, and is none", text, x)
			}
		}
	}
}

// oddNumbers returns texts that are numbers, or nearly so.
func oddNumbers(r *rand.Rand, n int) (list []string) {
	const bytes = "0123456789012345678901234567890123456789..-+eE x\x00"
	for range n {
		switch r.IntN(4) {
		case 0:
			list = append(list, fmt.Sprintf("%.*f", r.IntN(9), r.NormFloat64()*math.Pow(10, float64(r.IntN(9)-3))))
		case 1:
			list = append(list, fmt.Sprint(r.Int64N(1e18)>>r.IntN(60)))
		default:
			text := make([]byte, r.IntN(21))
			for i := range text {
				text[i] = bytes[r.IntN(len(bytes))]
			}
			list = append(list, string(text))
		}
	}
	return list
}

func TestNumbersOfTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 300 {
		checkNumbers(t, oddNumbers(r, 200), r.IntN(10))
	}
}

func FuzzNumbersOfTexts(f *testing.F) {
	f.Add("1.5,-2,,.,-,-.,5.,.5,12345678,1234567.,-0,00000001,+1,1e5", 8)
	f.Fuzz(func(t *testing.T, list string, room int) {
		checkNumbers(t, strings.Split(list, ","), room&15)
	})
}

// TestTextMemo numbers texts of which many are similar, and gives up if there are too many.
func TestTextMemo(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for seed := range 200 {
		var m textMemo
		var pool []string
		for range 1 + r.IntN(memoTexts+seed%3) {
			pool = append(pool, strings.Repeat("a", r.IntN(20))+
				[]string{"", "b", "\x00", "ü", "aaaaaaaaaaaa"}[r.IntN(5)])
		}
		different := map[string]bool{}
		for range 10 {
			var b textsBuilder
			var list []string
			for range 50 {
				list = append(list, pool[r.IntN(len(pool))])
				different[list[len(list)-1]] = true
				b.add(list[len(list)-1])
			}
			texts := TextsOf(b.all.String()+strings.Repeat("a", r.IntN(9)), b.spans)
			c := m.chosen(cells{form: textsForm, texts: texts})
			if few := c.form == chosenForm; few != (len(different) <= memoTexts) {
				t.Fatalf("%d different texts are few: %v", len(different), few)
			}
			for i, text := range list {
				if got := c.at(i); got.text != text {
					t.Fatalf("%q is %q in the memo", text, got.text)
				}
			}
		}
	}
}

// TestMemoOfEntries numbers texts of dictionaries, and nulls, and gives up if there are too many.
func TestMemoOfEntries(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for seed := range 100 {
		var m textMemo
		different := map[string]bool{}
		for range 3 { // dictionaries
			var b textsBuilder
			for range 1 + r.IntN(memoTexts/2+seed%20) {
				b.add(strings.Repeat("a", r.IntN(3)) + string(rune('a'+r.IntN(60))))
			}
			texts := b.texts()
			dictionary := NewDictionary(texts)
			for range 4 { // batches
				c := cells{form: textsForm, texts: Texts{all: texts.all}, dictionary: dictionary}
				if seed%2 == 0 {
					c.form, c.base, c.values = patchedForm, textsForm, []Value{Null()}
				}
				for range 40 {
					e, k := r.IntN(texts.Len()), int32(-1)
					text := texts.At(e)
					if seed%2 == 0 && r.IntN(9) == 0 {
						e, k, text = -1, 0, "NullWritable"
						c.texts.spans = append(c.texts.spans, Span{})
					} else {
						c.texts.spans = append(c.texts.spans, texts.spans[e])
					}
					c.entries, c.index = append(c.entries, int32(e)), append(c.index, k)
					different[text] = true
				}
				made := m.chosen(c)
				if few := made.form == chosenForm; few != (len(different) <= memoTexts) {
					t.Fatalf("%d different values are few: %v", len(different), few)
				}
				for i := range c.entries {
					if got, want := made.at(i), c.at(i); got != want {
						t.Fatalf("%v is %v in the memo", want, got)
					}
				}
			}
		}
	}
}

// TestTextMemoCollision: a long text with the key of a short one is a different text, whichever comes first.
func TestTextMemoCollision(t *testing.T) {
	const short = "ab"
	last := []byte("cdefghij")
	key := uint64('a') | 'b'<<8 | uint64(len(short))<<56
	first := key ^ 16<<56 ^ binary.LittleEndian.Uint64(last)*3 // 16 is the long one's length
	long := string(binary.LittleEndian.AppendUint64(nil, first)) + string(last)
	for _, list := range [][]string{{long, short}, {short, long}} {
		var b textsBuilder
		for _, text := range list {
			b.add(text)
		}
		b.all.WriteString("12345678")
		var m textMemo
		c := m.chosen(cells{form: textsForm, texts: b.texts()})
		if len(m.keys) != 2 || m.keys[0] != m.keys[1] {
			t.Fatalf("the keys are %x: the test wants two alike", m.keys)
		}
		for i, text := range list {
			if got := c.at(i).text; got != text {
				t.Errorf("%q is %q in the memo", text, got)
			}
		}
	}
}
