package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Schema holds the names of the columns and classes that a model was trained on. Other data is matched to the model
// by these names. A model file keeps it as JSON.
type Schema struct {
	// Version is the version of the format in files: 1.
	Version int `json:"version"`
	// Features are the columns of the features, one for each number, in their order; nil if they have no names.
	Features []string `json:"features,omitempty"`
	// Labels are the columns of the labels, likewise. If the labels are classes, they have one column.
	Labels []string `json:"labels,omitempty"`
	// Classes are the names of the classes, in their order; nil if the labels are not classes, or have no names.
	Classes []string `json:"classes,omitempty"`
	// Images are the settings by which pictures became features, such as channels=bgr; nil if features are no pictures.
	// Other pictures are read by them, too.
	Images map[string]string `json:"images,omitempty"`
}

// schemaVersion is the version of Schema that is written.
const schemaVersion = 1

// ParseSchema reads the result of Schema.JSON. It ignores unknown members.
func ParseSchema(b []byte) (*Schema, error) {
	s := &Schema{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("names of columns and classes: %w", err)
	}
	if s.Version != schemaVersion {
		return nil, fmt.Errorf("names of columns and classes of version %d: this program reads version %d; use a newer one",
			s.Version, schemaVersion)
	}
	return s, s.validate()
}

// JSON returns the format in files. It fails if two columns, or two classes, have the same name.
func (s *Schema) JSON() ([]byte, error) {
	v := *s
	v.Version = schemaVersion
	if err := v.validate(); err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(v, "", "  ")
	return append(b, '\n'), err
}

// Empty reports whether there are neither names nor settings.
func (s *Schema) Empty() bool {
	return s == nil || s.Features == nil && s.Labels == nil && s.Classes == nil && s.Images == nil
}

// With returns the names of s, completed by those of o. The settings of pictures are o's, if it has any: a model trains
// on, and keeps the ones of its last data. Either may be nil.
func (s *Schema) With(o *Schema) *Schema {
	all := Schema{}
	for _, from := range []*Schema{s, o} {
		if from == nil {
			continue
		}
		if all.Features == nil {
			all.Features = from.Features
		}
		if all.Labels == nil {
			all.Labels = from.Labels
		}
		if all.Classes == nil {
			all.Classes = from.Classes
		}
		if from.Images != nil {
			all.Images = from.Images
		}
	}
	return &all
}

// validate refuses names that stand for two columns or classes.
func (s *Schema) validate() error {
	for what, list := range map[string][]string{"column": s.Features, "label column": s.Labels, "class": s.Classes} {
		if name, twice := Repeated(list); twice {
			return fmt.Errorf("schema: the %s %q is named twice; each needs a name of its own", what, name)
		}
	}
	return nil
}

// Repeated returns the first name that occurs twice in a list. twice is false if there is none.
func Repeated(list []string) (name string, twice bool) {
	known := make(map[string]bool, len(list))
	for _, name := range list {
		if known[name] {
			return name, true
		}
		known[name] = true
	}
	return "", false
}

// ClassNumbers returns the names of n classes that are numbers: 0, 1, ….
func ClassNumbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// Numbered reports whether the names of the classes are 0, 1, ….
func (s *Schema) Numbered() bool { return slices.Equal(s.Classes, ClassNumbers(len(s.Classes))) }

// ClassFinder returns a function that finds the number of a class by its name; -1 if there is no such class. Names that
// are numbers are compared by value: 1 finds 1.0.
func (s *Schema) ClassFinder() func(name string) int {
	names, numbers := make(map[string]int, len(s.Classes)), map[float64]int{}
	for i, name := range s.Classes {
		names[name] = i
		if x, err := strconv.ParseFloat(name, 64); err == nil {
			numbers[x] = i
		}
	}
	return func(name string) int {
		if i, ok := names[name]; ok {
			return i
		}
		if x, err := strconv.ParseFloat(name, 64); err == nil {
			if i, ok := numbers[x]; ok {
				return i
			}
		}
		return -1
	}
}

// SameClasses returns an error unless the names are those of the schema's classes, in the same order. It returns nil if
// either has no names.
func (s *Schema) SameClasses(names []string) error {
	if s == nil || s.Classes == nil || names == nil {
		return nil
	}
	find := s.ClassFinder()
	for i, name := range names {
		if find(name) != i {
			return errors.New("the classes are " + ShortList(names) + ", and the model's " + ShortList(s.Classes))
		}
	}
	return nil
}

// ShortList formats a list of names for a message, at most 20 of them.
func ShortList(names []string) string {
	if len(names) > 20 {
		return strings.Join(names[:20], ", ") + fmt.Sprintf(" and %d more", len(names)-20)
	}
	return strings.Join(names, ", ")
}
