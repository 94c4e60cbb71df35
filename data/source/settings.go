package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Settings returns the settings of all kinds by flag, in the order of the help. Each text names the kinds that have the
// setting.
func Settings() (all []Setting) {
	texts := map[string][]string{} // of a flag
	kinds := map[string][]string{} // of a flag's text
	at := map[string]int{}
	for _, kind := range Kinds() {
		k, _ := KindOf(kind)
		for _, s := range k.About().Settings {
			name := s.FlagName()
			if i, ok := at[name]; ok {
				all[i].List = all[i].List || s.List
				all[i].Rare = all[i].Rare && s.Rare
				all[i].Raw = all[i].Raw || s.Raw
				if !slices.Contains(strings.Split(all[i].Value, "|"), s.Value) {
					all[i].Value += "|" + s.Value
				}
			} else {
				at[name] = len(all)
				all = append(all, s)
			}
			if kinds[name+s.Text] == nil {
				texts[name] = append(texts[name], s.Text)
			}
			kinds[name+s.Text] = append(kinds[name+s.Text], kind)
		}
	}
	for i, s := range all {
		name := s.FlagName()
		var parts []string
		for _, text := range texts[name] {
			parts = append(parts, strings.Join(tables(kinds[name+text], text), ", ")+": "+text)
		}
		all[i].Text = strings.Join(parts, "; ")
	}
	slices.SortStableFunc(all, func(a, b Setting) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// widest is the number of columns that a setting's text may take in a line of a help text.
const widest = 51

// tables replaces several kinds of tables by the word tables, and shortens the list of other kinds if a line has no
// room.
func tables(kinds []string, text string) []string {
	var others []string
	for _, kind := range kinds {
		k, _ := KindOf(kind)
		if _, table := k.(Tabular); !table {
			others = append(others, kind)
		}
	}
	if len(kinds)-len(others) < 2 {
		return kinds
	}
	if len(others) > 1 && len("tables, : ")+len(strings.Join(others, ", "))+len(text) > widest {
		others = append(others[:1], "…")
	}
	return append([]string{"tables"}, others...)
}

// rank sorts common settings first.
func rank(s Setting) int {
	if i := slices.Index([]string{"label", "features", "classes", "names"}, s.FlagName()); i >= 0 {
		return i
	}
	return 4
}

// KindIn returns the part of a name before the colon, which is the kind of data.
func KindIn(spec string) string {
	kind, _, _ := strings.Cut(spec, ":")
	return kind
}

// KindsWith returns the kinds of data that have a setting with this flag.
func KindsWith(flag string) (kinds []string) {
	for _, kind := range Kinds() {
		k, _ := KindOf(kind)
		if slices.ContainsFunc(k.About().Settings, func(s Setting) bool { return s.FlagName() == flag }) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// Keys returns the columns that identify the examples; none if the data has none.
func (n Name) Keys() []string {
	k, ok := KindOf(n.Kind)
	if !ok {
		return nil
	}
	for _, s := range k.About().Settings {
		if list, given := n.Settings[s.Name]; given && s.FlagName() == "keys" {
			return Values(list)
		}
	}
	if _, texts := k.(textKind); texts {
		return []string{textFile}
	}
	return nil
}

// Halves returns the names of both parts if the data has its own test part and no other test data is given. Otherwise
// it returns its arguments.
func Halves(spec, test string) (string, string) {
	n, err := Parse(spec)
	if k, _ := KindOf(n.Kind); err == nil && test == "" {
		if h, ok := k.(Halver); ok {
			if train, heldOut, ok := h.Halves(n); ok {
				return train.String(), heldOut.String()
			}
		}
	}
	return spec, test
}

// Forms returns lines of a help text about the kinds of data: the forms of their names, and a short description.
func Forms() string {
	var b strings.Builder
	for _, kind := range Kinds() {
		k, _ := KindOf(kind)
		fmt.Fprintf(&b, "  %-35s %s\n", k.About().Form, k.About().Text)
	}
	return b.String()
}

// Details returns further lines of a help text about the kinds of data: see [Forms].
func Details() string {
	var b strings.Builder
	for _, kind := range Kinds() {
		k, _ := KindOf(kind)
		if text := k.About().More; text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", kind+":", strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", 12)))
		}
	}
	return b.String()
}
