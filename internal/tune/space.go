package tune

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/updater"
)

// Space holds the settings to search, with their values, and the fixed ones.
type Space struct {
	dims  []Dimension
	usual map[string]bool // settings that the user did not ask for
}

// SpaceError is an error in a space.
type SpaceError struct {
	Setting string // empty: the error concerns all of them
	Line    int    // line of a file, or 0
	Err     error
}

func (e *SpaceError) Error() string {
	if e.Setting == "" {
		return e.Err.Error()
	}
	return e.Setting + ": " + e.Err.Error()
}

func (e *SpaceError) Unwrap() error { return e.Err }

// NewSpace makes a space from the values of settings by name. Other settings have their defaults.
func NewSpace(given map[string]string) (s Space, err error) {
	s.usual = map[string]bool{}
	for _, k := range kinds {
		text, is := given[k.name]
		switch {
		case !is && k.usual == "":
			continue
		case !is && (k.name == "l2" && given["l1"]+given["weight-decay"] != ""):
			continue // one kind of weight penalty is enough
		case !is && k.name == "hidden" && given["layers"] != "":
			text = "32|64|128"
		case !is:
			text = k.usual
		}
		d, err := ParseDimension(k.name, text)
		if err != nil {
			return s, &SpaceError{Setting: k.name, Err: err}
		}
		s.dims, s.usual[k.name] = append(s.dims, d), !is
	}
	if given["layers"] == "" {
		return s, nil
	}
	for _, text := range s.find("hidden").values {
		if strings.Contains(text, ",") || text == "none" {
			return s, &SpaceError{Setting: "layers", Err: fmt.Errorf("it repeats one size of --hidden, and %q is not one; "+
				"leave it out, or give single sizes", text)}
		}
	}
	return s, nil
}

// ParseSpace reads the values of settings from YAML: for each name, a text in the format of flags, or a list.
func ParseSpace(text []byte) (map[string]string, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode || len(doc.Content[0].Content) == 0 {
		return nil, errors.New("it has no settings; write lines such as learning-rate: 1e-4..1e-1:log")
	}
	given := map[string]string{}
	for list := doc.Content[0].Content; len(list) > 0; list = list[2:] {
		name, value := list[0].Value, list[1]
		bad := func(format string, args ...any) error {
			return fmt.Errorf("line %d: %s: %s", list[0].Line, name, fmt.Sprintf(format, args...))
		}
		if kindAt(name) < 0 {
			return nil, bad("no setting has this name%s; there are %s", registry.SuggestWord(name, Names()),
				strings.Join(Names(), ", "))
		}
		if _, twice := given[name]; twice {
			return nil, bad("it is there twice")
		}
		values := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		var texts []string
		for _, v := range values {
			if v.Kind != yaml.ScalarNode {
				return nil, bad("a value is a number or a text, such as %q", cmp.Or(Usual(name), "1"))
			}
			texts = append(texts, v.Value)
		}
		if len(texts) == 0 {
			return nil, bad("the list is empty")
		}
		given[name] = strings.Join(texts, "|")
		if _, err := ParseDimension(name, given[name]); err != nil {
			return nil, bad("%v", err)
		}
	}
	return given, nil
}

func (s Space) find(name string) Dimension {
	for _, d := range s.dims {
		if d.Name == name {
			return d
		}
	}
	return Dimension{}
}

// remove removes a setting that the user did not ask for.
func (s *Space) remove(name string) bool {
	if !s.usual[name] || s.find(name).Name == "" {
		return false
	}
	s.dims = slices.DeleteFunc(slices.Clone(s.dims), func(d Dimension) bool { return d.Name == name })
	return true
}

// Size returns the number of different trials; 0 means more than can be counted.
func (s Space) Size() int {
	n := 1
	for _, d := range s.dims {
		k := d.size()
		if k == 0 || n > math.MaxInt32/k {
			return 0
		}
		n *= k
	}
	return n
}

// Lines returns a line for each setting.
func (s Space) Lines() (lines []string) {
	for _, d := range s.dims {
		lines = append(lines, fmt.Sprintf("%-14s %s", d.Name, strings.ReplaceAll(d.Text, "|", " | ")))
	}
	return lines
}

// Setting is one setting of a trial.
type Setting struct{ Name, Value string }

// Settings are the settings of a trial, as flags of dl4go train.
type Settings []Setting

// String returns a word for each setting.
func (s Settings) String() string {
	var words []string
	for _, one := range s {
		words = append(words, one.Name+" "+one.Value)
	}
	return strings.Join(words, "  ")
}

// Get returns a setting's value; empty for none.
func (s Settings) Get(name string) string {
	for _, one := range s {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

// Draw returns the settings of a trial, which only depend on the seed, the trial's number and the settings' names.
// again counts the attempts to find settings that no earlier trial has.
func (s Space) Draw(seed int64, trial, again int) Settings {
	var drawn Settings
	for _, d := range s.dims {
		name := fnv.New64a()
		name.Write([]byte(d.Name))
		key := random.Mix(random.Mix(random.Mix(uint64(seed), uint64(trial)), name.Sum64()), uint64(again))
		drawn = append(drawn, Setting{d.Name, d.draw(random.NewSource(key))})
	}
	return drawn.settle()
}

// settle converts drawn settings to flags of dl4go train.
func (s Settings) settle() Settings {
	hidden := s.Get("hidden")
	if n, _ := strconv.Atoi(s.Get("layers")); n > 0 {
		hidden = strings.TrimSuffix(strings.Repeat(hidden+",", n), ",")
	}
	var settled Settings
	for _, one := range s {
		switch {
		case one.Name == "layers":
			continue
		case one.Name == "hidden":
			one.Value = hidden
		case hidden == "none" && (one.Name == "dropout" || one.Name == "activation"):
			continue // they only concern hidden layers
		}
		settled = append(settled, one)
	}
	return settled
}

// sample returns a trial with hidden layers, to find out which settings the network can use.
func (s Space) sample() (drawn Settings) {
	for again := range 100 {
		if drawn = s.Draw(0, 0, again); drawn.Get("hidden") != "none" {
			break
		}
	}
	return drawn
}

// Wish converts the settings to requirements on a network.
func (s Settings) Wish() (w modelfile.Wish, err error) {
	for _, one := range s {
		x, _ := strconv.ParseFloat(one.Value, 64)
		switch one.Name {
		case "learning-rate":
			w.Shape.LearningRate = x
		case "hidden":
			w.Shape.Hidden, err = modelfile.Sizes(one.Value)
		case "dropout":
			w.Shape.Dropout = &x
		case "l1":
			w.Shape.L1 = x
		case "l2":
			w.Shape.L2 = x
		case "weight-decay":
			w.Shape.WeightDecay = x
		case "updater":
			w.Shape.Updater, err = updater.ByName(one.Value)
		case "activation":
			w.Shape.Activation, err = activation.ByName(one.Value)
		}
		if err != nil {
			return w, &SpaceError{Setting: one.Name, Err: err}
		}
	}
	return w, nil
}

// Batch returns the size of a minibatch; 0 for the default.
func (s Settings) Batch() int {
	n, _ := strconv.Atoi(s.Get("batch"))
	return n
}
