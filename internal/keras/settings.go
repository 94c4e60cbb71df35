package keras

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// settings are an object of the configuration. Reading a value that does not fit ends the import with an error that
// names the layer and the key. A value that nobody reads is an error, too: see [settings.finish].
type settings struct {
	where string // "layer first (Dense)"
	m     map[string]any
	read  map[string]bool
}

func newSettings(where string, m map[string]any) settings {
	return settings{where, m, map[string]bool{}}
}

func (s settings) refuse(format string, args ...any) {
	refuse("%s: %s", s.where, fmt.Sprintf(format, args...))
}

// get returns a value; nil if there is none.
func (s settings) get(key string) any {
	if s.read != nil {
		s.read[key] = true
	}
	return s.m[key]
}

func (s settings) wrong(key, want string) {
	s.refuse("%s is %s: it must be %s", key, shown(s.m[key]), want)
}

// shown formats a value for an error.
func shown(v any) string {
	text := fmt.Sprintf("%v", v)
	switch v := v.(type) {
	case string:
		text = fmt.Sprintf("%q", v)
	case float64:
		if n, ok := whole(v); ok {
			text = fmt.Sprint(n)
		}
	case nil:
		text = "null"
	}
	if len(text) > 80 {
		text = strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}

// maxExtent bounds sizes, so that the product of a few fits into an int.
const maxExtent = 1 << 24

// whole converts a number without a fraction; ok is false for other values.
func whole(v any) (n int, ok bool) {
	x, ok := v.(float64)
	return int(max(-1<<62, min(x, 1<<62))), ok && x == math.Trunc(x)
}

// int returns an integer of at least least.
func (s settings) int(key string, least, usual int) int {
	v := s.get(key)
	if v == nil {
		return usual
	}
	n, ok := whole(v)
	if !ok || n < least || n > maxExtent {
		s.wrong(key, fmt.Sprintf("a whole number from %d to %d", least, maxExtent))
	}
	return n
}

// need is int without a default.
func (s settings) need(key string, least int) int {
	if s.get(key) == nil {
		s.refuse("%s is missing", key)
	}
	return s.int(key, least, 0)
}

// list returns a list of integers; nil if there is none. A single number counts as a list.
func (s settings) list(key string, least int) []int {
	v := s.get(key)
	if v == nil {
		return nil
	}
	all, ok := v.([]any)
	if !ok {
		all = []any{v}
	}
	out := []int{}
	for _, x := range all {
		n, ok := whole(x)
		if !ok || n < least || n > maxExtent {
			s.wrong(key, fmt.Sprintf("whole numbers from %d to %d", least, maxExtent))
		}
		out = append(out, n)
	}
	return out
}

// times returns a list of n numbers; a single number is repeated.
func (s settings) times(key string, n, least, usual int) []int {
	list := s.list(key, least)
	switch len(list) {
	case 0:
		list = []int{usual}
		fallthrough
	case 1:
		return slices.Repeat(list, n)
	case n:
		return list
	}
	s.wrong(key, fmt.Sprintf("one number, or %d", n))
	return nil
}

func (s settings) bool(key string, usual bool) bool {
	switch v := s.get(key).(type) {
	case nil:
		return usual
	case bool:
		return v
	case float64:
		return v != 0
	}
	s.wrong(key, "true or false")
	return false
}

func (s settings) float(key string, usual float64) float64 {
	switch v := s.get(key).(type) {
	case nil:
		return usual
	case float64:
		return v
	}
	s.wrong(key, "a number")
	return 0
}

func (s settings) text(key, usual string) string {
	switch v := s.get(key).(type) {
	case nil:
		return usual
	case string:
		return v
	}
	s.wrong(key, "a text")
	return ""
}

// no refuses a setting that is switched on.
func (s settings) no(key, why string) {
	if v := s.get(key); v != nil && v != false && v != 0.0 {
		s.refuse("%s is %s: %s", key, shown(v), why)
	}
}

// object returns a nested object; its map is nil if there is none.
func (s settings) object(key string) settings {
	switch v := s.get(key).(type) {
	case nil:
		return settings{where: s.where + ": " + key}
	case map[string]any:
		return newSettings(s.where+": "+key, v)
	}
	s.wrong(key, "an object")
	return settings{}
}

// numbers returns nested lists of numbers in C order, with their shape; a single number has no dimensions.
func (s settings) numbers(key string) (values []float64, shape []int) {
	var walk func(v any, level int)
	walk = func(v any, level int) {
		switch v := v.(type) {
		case float64:
			if level != len(shape) {
				s.wrong(key, "an array of numbers")
			}
			values = append(values, v)
		case []any:
			if level == len(shape) && len(values) == 0 && level < 8 {
				shape = append(shape, len(v))
			}
			if level >= len(shape) || shape[level] != len(v) {
				s.wrong(key, "an array of numbers")
			}
			for _, x := range v {
				walk(x, level+1)
			}
		default:
			s.wrong(key, "an array of numbers")
		}
	}
	walk(s.get(key), 0)
	return values, shape
}

// passed are settings of layers that do not change the results of a trained model.
var passed = []string{"name", "trainable", "dtype", "batch_shape", "batch_input_shape",
	"input_shape", "input_dtype", "sparse",
	"ragged", "optional", "registered_name", "unroll", "implementation", "build_config", "module", "shared_object_id",
	"noise_shape", "seed", "fused", "synchronized", "autocast", "input_length", "renorm_momentum", "lora_alpha"}

// finish refuses settings that nobody has read, unless they are switched off.
func (s settings) finish() {
	for key, v := range s.m {
		off := v == nil || v == false
		if s.read[key] || off || slices.Contains(passed, key) || strings.HasSuffix(key, "_initializer") {
			continue
		}
		s.refuse("the setting %s (%s) is unknown", shown(key), shown(v))
	}
}

// plain removes case and underscores from a text, so that the names of classes and functions become the same.
func plain(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}
