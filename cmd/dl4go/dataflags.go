package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
)

// dataFlags are the settings of data, with a flag for each setting of any kind of data, and the options for opening
// data. A nil *dataFlags has no settings.
type dataFlags struct {
	distributed.OpenOptions
	flags *pflag.FlagSet
	names []string // of the flags
}

// add adds the flags. It must be called last: a flag that the command already has is not a setting of data there.
func (f *dataFlags) add(fs *pflag.FlagSet) {
	f.addThose(fs, source.Settings())
}

// addRaw adds the flags for reading raw rows.
func (f *dataFlags) addRaw(fs *pflag.FlagSet) {
	f.addThose(fs, slices.DeleteFunc(source.Settings(), func(s source.Setting) bool { return !s.Raw }))
}

func (f *dataFlags) addThose(fs *pflag.FlagSet, settings []source.Setting) {
	f.flags = fs
	for _, s := range settings {
		name := s.FlagName()
		if fs.Lookup(name) != nil {
			continue
		}
		f.names = append(f.names, name)
		usage := "`" + s.Value + "` " + s.Text
		switch {
		case s.Switch:
			fs.Bool(name, false, s.Text)
		case s.List:
			fs.StringSlice(name, nil, usage)
		default:
			fs.String(name, "", usage)
		}
	}
}

// dataFlagNames returns the names of the flags: those for which shown is true.
func dataFlagNames(shown func(rare bool) bool) (names []string) {
	for _, s := range source.Settings() {
		if shown(s.Rare) {
			names = append(names, s.FlagName())
		}
	}
	return names
}

// given returns the values of a flag; none if it was not given.
func (f *dataFlags) given(name string) []string {
	if flag := f.flags.Lookup(name); flag != nil && flag.Changed && slices.Contains(f.names, name) {
		return valuesOf(flag)
	}
	return nil
}

// name parses the name of data in a flag, and adds the settings given by flags.
func (f *dataFlags) name(flag, spec string) (source.Name, error) {
	n, err := source.Parse(spec)
	if err != nil {
		return n, usagef("--%s: %w", flag, err)
	}
	byFlag := map[string]string{} // keys of settings
	k, _ := source.KindOf(n.Kind)
	for _, s := range k.About().Settings {
		if f == nil || f.given(s.FlagName()) == nil {
			continue
		}
		value := strings.Join(f.given(s.FlagName()), ",")
		if s.List {
			value = source.JoinValues(f.given(s.FlagName()))
		}
		if was, twice := n.Settings[s.Name]; twice && was != value {
			return n, usagef("--%s %s and %s=%s in --%s %s: these are two values of one setting; give one of them", s.FlagName(),
				value, s.Name, was, flag, spec)
		}
		if byFlag[s.Name] = s.FlagName(); n.Settings == nil {
			n.Settings = map[string]string{}
		}
		n.Settings[s.Name] = value
	}
	err = n.Check(source.Options{})
	if wrong := (*source.SettingError)(nil); errors.As(err, &wrong) && byFlag[wrong.Key] != "" {
		return n, usagef("--%s %q: %s", byFlag[wrong.Key], wrong.Value, wrong.Problem)
	}
	if err != nil {
		return n, explainData(flag, fmt.Errorf("%s: %w", spec, err))
	}
	return n, nil
}

// check refuses invalid names of data in --data and --test, and flags that have no effect because no data has such a
// setting.
func (f *dataFlags) check(specs ...string) error {
	for i, spec := range specs {
		if spec == "" || spec == "none" {
			continue
		}
		if _, err := f.name([]string{"data", "test"}[i], spec); err != nil {
			return err
		}
	}
	for _, name := range f.names {
		if f.given(name) == nil {
			continue
		}
		used := slices.ContainsFunc(specs,
			func(spec string) bool { return slices.Contains(source.KindsWith(name), source.KindIn(spec)) })
		if !used {
			kinds := strings.Join(source.KindsWith(name), ":, ") + ":"
			if i := strings.LastIndex(kinds, ", "); i >= 0 {
				kinds = kinds[:i] + " and" + kinds[i+1:]
			}
			return usagef("--%s only applies to %s data, not to %s", name, kinds, specs[0])
		}
	}
	return nil
}

// keys returns the columns that identify the examples of data; none if it has none.
func (f *dataFlags) keys(flag, spec string) []string {
	if n, err := f.name(flag, spec); err == nil {
		return f.Preparation.Keys(n)
	}
	return nil
}
