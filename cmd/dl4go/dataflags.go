package main

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/flagvalues"
	"github.com/dl4go/dl4go/internal/workplace"
)

// dataFlags has a flag for each setting of any kind of data.
type dataFlags struct{ workplace.Data }

// add adds the flags. It must be called last: a flag that the command already has is not a setting of data there.
func (f *dataFlags) add(fs *pflag.FlagSet) {
	f.addThose(fs, source.Settings())
}

// addRaw adds the flags for reading raw rows.
func (f *dataFlags) addRaw(fs *pflag.FlagSet) {
	f.addThose(fs, slices.DeleteFunc(source.Settings(), func(s source.Setting) bool { return !s.Raw }))
}

func (f *dataFlags) addThose(fs *pflag.FlagSet, settings []source.Setting) {
	f.Value = func(name string) []string { return flagvalues.Given(fs, name) }
	for _, s := range settings {
		name := s.FlagName()
		if fs.Lookup(name) != nil {
			continue
		}
		f.Flags = append(f.Flags, name)
		text := "`" + s.Value + "` " + s.Text
		switch {
		case s.Switch:
			fs.Bool(name, false, s.Text)
		case s.List:
			fs.StringSlice(name, nil, text)
		default:
			fs.String(name, "", text)
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

// newPlace returns the workplace of a command. Nothing is open there yet.
func newPlace(on *engineFlags, settings *dataFlags, out *console.Output) *workplace.Place {
	return &workplace.Place{Engine: &on.Engine, Data: &settings.Data, Out: out}
}

func addByPosition(fs *pflag.FlagSet, to *bool) {
	fs.BoolVar(to, "by-position", false, "match columns and classes by position, not name")
}
