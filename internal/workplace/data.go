package workplace

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/usage"
)

// Data is the settings of data that are given by flags, and the options for opening data. A nil *Data has no settings.
type Data struct {
	distributed.OpenOptions
	Flags []string                   // the names of the flags
	Value func(flag string) []string // the values of a flag; none if it was not given
}

// Given returns the values of a setting's flag; none if it was not given, or if it is no setting here.
func (f *Data) Given(name string) []string {
	if slices.Contains(f.Flags, name) {
		return f.Value(name)
	}
	return nil
}

// Name parses the name of data in a flag, and adds the settings given by flags.
func (f *Data) Name(flag, spec string) (source.Name, error) {
	n, err := source.Parse(spec)
	if err != nil {
		return n, usage.Errorf("--%s: %w", flag, err)
	}
	byFlag := map[string]string{} // keys of settings
	k, _ := source.KindOf(n.Kind)
	for _, s := range k.About().Settings {
		if f == nil || f.Given(s.FlagName()) == nil {
			continue
		}
		value := strings.Join(f.Given(s.FlagName()), ",")
		if s.List {
			value = source.JoinValues(f.Given(s.FlagName()))
		}
		if was, twice := n.Settings[s.Name]; twice && was != value {
			return n, usage.Errorf("--%s %s and %s=%s in --%s %s: these are two values of one setting; give one of them",
				s.FlagName(), value, s.Name, was, flag, spec)
		}
		if byFlag[s.Name] = s.FlagName(); n.Settings == nil {
			n.Settings = map[string]string{}
		}
		n.Settings[s.Name] = value
	}
	err = n.Check(source.Options{})
	if wrong := (*source.SettingError)(nil); errors.As(err, &wrong) && byFlag[wrong.Key] != "" {
		return n, usage.Errorf("--%s %q: %s", byFlag[wrong.Key], wrong.Value, wrong.Problem)
	}
	if err != nil {
		return n, ExplainData(flag, fmt.Errorf("%s: %w", spec, err))
	}
	return n, nil
}

// Check refuses invalid names of data in --data and --test, and flags that have no effect because no data has such a
// setting.
func (f *Data) Check(specs ...string) error {
	for i, spec := range specs {
		if spec == "" || spec == "none" {
			continue
		}
		if _, err := f.Name([]string{"data", "test"}[i], spec); err != nil {
			return err
		}
	}
	for _, name := range f.Flags {
		if f.Given(name) == nil {
			continue
		}
		used := slices.ContainsFunc(specs,
			func(spec string) bool { return slices.Contains(source.KindsWith(name), source.KindIn(spec)) })
		if !used {
			kinds := strings.Join(source.KindsWith(name), ":, ") + ":"
			if i := strings.LastIndex(kinds, ", "); i >= 0 {
				kinds = kinds[:i] + " and" + kinds[i+1:]
			}
			return usage.Errorf("--%s only applies to %s data, not to %s", name, kinds, specs[0])
		}
	}
	return nil
}

// Keys returns the columns that identify the examples of data; none if it has none.
func (f *Data) Keys(flag, spec string) []string {
	if n, err := f.Name(flag, spec); err == nil {
		return f.Preparation.Keys(n)
	}
	return nil
}
