package tune

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/updater"
)

// Dimension is a setting to search, with its values: a list, or a range of numbers.
type Dimension struct {
	Name     string
	Text     string // as the user wrote it
	values   []string
	from, to float64 // of a range; values is nil then
	log      bool
	whole    bool
}

// kind describes a setting.
type kind struct {
	name    string
	usual   string // default values to search; empty for none
	whole   bool   // integers only
	numbers bool   // ranges are allowed
	check   func(text string) error
}

// kinds are the settings that can be searched, in the order of tables and command lines.
var kinds = []kind{
	{"learning-rate", "1e-4..1e-1:log", false, true, number(math.SmallestNonzeroFloat64, 1e5)},
	{"hidden", "32|64|128|64,32|128,64", true, true, sizes},
	{"layers", "", true, true, number(1, 1000)},
	{"dropout", "0..0.5", false, true, number(0, 0.999)},
	{"batch", "16|32|64", true, true, number(1, 1<<30)},
	{"l1", "", false, true, number(0, 1e5)},
	{"l2", "1e-6..1e-2:log", false, true, number(0, 1e5)},
	{"weight-decay", "", false, true, number(0, 1e5)},
	{"updater", "adam", false, false, word(updater.ByName)},
	{"activation", "", false, false, word(activation.ByName)},
}

// Names returns the settings that can be searched.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Usual returns the default values of a setting to search; empty for none.
func Usual(name string) string { return kinds[kindAt(name)].usual }

func kindAt(name string) int {
	for i, k := range kinds {
		if k.name == name {
			return i
		}
	}
	return -1
}

// ParseDimension reads the values of a setting: A..B, A..B:log, a list A|B|C, or one value.
func ParseDimension(name, text string) (Dimension, error) {
	k := kinds[kindAt(name)]
	d := Dimension{Name: name, Text: text, whole: k.whole}
	if from, to, is := strings.Cut(text, ".."); is && !strings.Contains(text, "|") {
		return d, d.parseRange(k, from, to)
	}
	for value := range strings.SplitSeq(text, "|") {
		if value = strings.TrimSpace(value); value == "" {
			return d, fmt.Errorf("%q: a value is empty; write them as A|B|C", text)
		}
		if err := k.check(value); err != nil {
			return d, fmt.Errorf("%q: %w", text, err)
		}
		d.values = append(d.values, value)
	}
	return d, nil
}

func (d *Dimension) parseRange(k kind, from, to string) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%q: %s", d.Text, fmt.Sprintf(format, args...))
	}
	if !k.numbers {
		return bad("there are no ranges of names; write a list, such as A|B|C")
	}
	to, how, scaled := strings.Cut(to, ":")
	if d.log = how == "log"; scaled && !d.log {
		return bad("%q is not a scale; write A..B or A..B:log", how)
	}
	for _, end := range []struct {
		text string
		x    *float64
	}{{from, &d.from}, {to, &d.to}} {
		text := strings.TrimSpace(end.text)
		if err := k.check(text); err != nil {
			return bad("%v", err)
		}
		var err error
		if *end.x, err = strconv.ParseFloat(text, 64); err != nil {
			return bad("%q is not a number; the ends of a range are numbers", text)
		}
	}
	switch {
	case d.from == d.to:
		return bad("both ends are the same; write %s", strings.TrimSpace(from))
	case d.from >= d.to:
		return bad("the lower end comes first: %s..%s", to, from)
	case d.log && d.from <= 0:
		return bad("a range by :log begins above 0")
	}
	return nil
}

// size returns the number of values; 0 means more than can be counted.
func (d Dimension) size() int {
	switch {
	case d.values != nil:
		return len(d.values)
	case d.whole:
		return int(d.to-d.from) + 1
	}
	return 0
}

// draw returns a value drawn by a uniform number.
func (d Dimension) draw(from *random.Source) string {
	if d.values != nil {
		return d.values[from.Intn(len(d.values))]
	}
	u, lo, hi := from.Float64(), d.from, d.to
	if d.whole {
		hi++
	}
	x := lo + (hi-lo)*u
	if d.log {
		x = math.Exp(math.Log(lo) + (math.Log(hi)-math.Log(lo))*u)
	}
	if d.whole {
		return strconv.Itoa(int(min(max(math.Floor(x), d.from), d.to)))
	}
	// Three digits are enough, and the same on every machine, although the last bits of exp differ.
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return strconv.FormatFloat(min(max(x, d.from), d.to), 'g', -1, 64)
}

// number returns a check that a text is a number in a range.
func number(from, to float64) func(string) error {
	return func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		switch {
		case err != nil:
			return fmt.Errorf("%q is not a number", text)
		case !(x >= from && x <= to) && from == math.SmallestNonzeroFloat64:
			return fmt.Errorf("%s: it must be more than 0, and at most %g", text, to)
		case !(x >= from && x <= to):
			return fmt.Errorf("%s: it must be from %g to %g", text, from, to)
		case from == 1 && x != math.Trunc(x):
			return fmt.Errorf("%s: it must be a whole number", text)
		}
		return nil
	}
}

func word[T any](byName func(string) (T, error)) func(string) error {
	return func(text string) error {
		_, err := byName(text)
		return err
	}
}

func sizes(text string) error {
	list, err := modelfile.Sizes(text)
	for _, n := range list {
		if n < 1 {
			err = errors.Join(err, fmt.Errorf("a layer of %d: sizes are at least 1", n))
		}
	}
	return err
}
