package source

import (
	"encoding/csv"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/registry"
)

// Name is the name of data: KIND:PLACE?KEY=VALUE&…. [Parse] makes it from a text.
type Name struct {
	// Kind is the word before the colon: "csv".
	Kind string `json:"kind"`
	// Place is the part after the kind: a path, a URL, several of them, or a query.
	Place string `json:"place,omitempty"`
	// Settings holds the values by key.
	Settings map[string]string `json:"settings,omitempty"`
	// Text is the name as the user wrote it. If it is empty, String composes the name.
	Text string `json:"text,omitempty"`
}

// Parse parses a name of a registered kind. It does not check the settings: see [Name.Check].
func Parse(text string) (Name, error) {
	kind, place, _ := strings.Cut(text, ":")
	k, ok := KindOf(kind)
	if !ok {
		return Name{}, unknownKind(text, kind)
	}
	n := Name{Kind: kind, Place: place, Text: text}
	about := k.About()
	i := strings.LastIndexByte(place, '?')
	if i < 0 || about.Verbatim || about.Settings == nil {
		return n, nil
	}
	n.Place = place[:i]
	values, err := url.ParseQuery(place[i+1:])
	if err != nil {
		return n, specf("options %q: %v", place[i+1:], err)
	}
	n.Settings = make(map[string]string, len(values))
	for key, v := range values {
		if len(v) > 1 {
			return n, specf("the option %s is given %d times", key, len(v))
		}
		n.Settings[key] = v[0]
	}
	return n, nil
}

// String returns the name as the user wrote it. If the user did not write it, String composes it.
func (n Name) String() string {
	if n.Text != "" {
		return n.Text
	}
	text := n.Kind + ":" + n.Place
	for i, key := range slices.Sorted(maps.Keys(n.Settings)) {
		text += string("?&"[min(i, 1)]) + key + "=" + url.QueryEscape(n.Settings[key])
	}
	return text
}

// Check finds mistakes in the name without opening anything: unknown settings, and values that make no sense in general
// or for this use of the data.
func (n Name) Check(o Options) error {
	k, ok := KindOf(n.Kind)
	if !ok {
		return unknownKind(n.String(), n.Kind)
	}
	about := k.About()
	for _, key := range slices.Sorted(maps.Keys(n.Settings)) {
		if _, ok := about.Setting(key); !ok {
			return specf("unknown option %q: %s has %s", key, n.Kind, about.keys())
		}
	}
	return k.Check(n, o)
}

// StandardInput reports whether the data comes from standard input, which can only be read once.
func (n Name) StandardInput() bool {
	k, ok := KindOf(n.Kind)
	return ok && n.Place == "-" && !k.About().Verbatim
}

// keys lists the settings' keys.
func (a About) keys() string {
	names := make([]string, len(a.Settings))
	for i, s := range a.Settings {
		names[i] = s.Name
	}
	if len(names) < 2 {
		return strings.Join(append(names, "no other"), ", and ")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// unknownKind returns an error that lists the kinds. It also suggests the data that the user may have meant: a file, by
// its ending, or a kind with a similar name.
func unknownKind(text, kind string) error {
	var forms []string
	near := registry.SuggestWord(kind, Kinds())
	file, _, _ := strings.Cut(text, "?")
	info, err := os.Stat(text)
	inside, directory := map[string]bool{}, err == nil && info.IsDir()
	if directory {
		inside, near = endingsIn(text), "; did you mean dl4j:"+text+"?"
	}
	for _, name := range Kinds() {
		k, _ := KindOf(name)
		about := k.About()
		forms = append(forms, about.Form)
		fits := slices.Contains(about.Endings, strings.ToLower(path.Ext(file)))
		if directory {
			fits = about.Directories && slices.ContainsFunc(about.Endings, func(e string) bool { return inside[e] })
		}
		if fits && !directory {
			return specf("%q: the kind of data is missing; did you mean %s:%s?", text, name, text)
		}
		if fits {
			near = "; did you mean " + name + ":" + text + "?"
		}
	}
	return specf("%q: data is %s%s", text, strings.Join(forms, "; "), near)
}

// endingsIn returns the endings of the files in a directory.
func endingsIn(dir string) map[string]bool {
	entries, _ := os.ReadDir(dir)
	endings := map[string]bool{}
	for _, e := range entries {
		endings[strings.ToLower(path.Ext(e.Name()))] = true
	}
	return endings
}

// Values splits the value of a setting that is a list. Values with a comma must be in double quotes.
func Values(list string) []string {
	if strings.Contains(list, `"`) {
		if values, err := csv.NewReader(strings.NewReader(list)).Read(); err == nil {
			return values
		}
	}
	return strings.Split(list, ",")
}

// JoinValues is the inverse of [Values].
func JoinValues(values []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	if err := w.Write(values); err != nil {
		return strings.Join(values, ",")
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// SettingError means that the value of a setting makes no sense. It unwraps to a *[SpecError].
type SettingError struct{ Key, Value, Problem string }

func (e *SettingError) Error() string { return e.Key + "=" + e.Value + ": " + e.Problem }

// Unwrap returns the error as a SpecError.
func (e *SettingError) Unwrap() error { return &SpecError{e.Error()} }

// count returns a setting that is a number from 1 on, or 0 if it is not given.
func (n Name) count(key, want string) (int, error) {
	v, ok := n.Settings[key]
	if !ok {
		return 0, nil
	}
	c, err := strconv.Atoi(v)
	if err != nil || c < 1 {
		return 0, &SettingError{key, v, want}
	}
	return c, nil
}

// flag returns a setting that is true or false, or nil if it is not given.
func (n Name) flag(key string) (*bool, error) {
	v, ok := n.Settings[key]
	if !ok {
		return nil, nil
	}
	b, err := strconv.ParseBool(v)
	if err != nil {
		return nil, &SettingError{key, v, "true or false should be here"}
	}
	return &b, nil
}

// noClasses is the problem text for an invalid number of classes.
const noClasses = "a number of classes should be here; names=LIST gives their names, and regression=true says that " +
	"labels are not classes"
