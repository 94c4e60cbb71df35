package source

import (
	"fmt"
	"sort"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// Unseen counts the values of a raw column that a model's training rows did not have.
type Unseen struct {
	Column string
	// Values is the number of unknown values.
	Values int
	// First lists the first of them, each with its place.
	First []string `json:",omitempty"`
	// Rare is true if some of them were in the training rows, but too seldom to be distinguished from new ones.
	Rare bool `json:",omitempty"`
	// As says how the pipeline treats them, such as `"other"`.
	As string
}

const (
	firstUnseen   = 3  // values that a notice names
	columnsUnseen = 10 // columns that have a notice of their own
)

// JoinUnseen adds values that were found later.
func JoinUnseen(found, later []Unseen) []Unseen {
	for _, l := range later {
		at := -1
		for i := range found {
			if found[i].Column == l.Column {
				at = i
			}
		}
		if at < 0 {
			found = append(found, l)
			continue
		}
		f := &found[at]
		f.Values += l.Values
		f.First = append(f.First[:len(f.First):len(f.First)], l.First...)
		f.First = f.First[:min(len(f.First), firstUnseen)]
	}
	return found
}

// unseenNotes returns notes on new values.
func unseenNotes(all []Unseen) (notes []string) {
	rest, columns := 0, 0
	for _, u := range all {
		switch {
		case u.Values == 0:
		case len(notes) == columnsUnseen:
			rest, columns = rest+u.Values, columns+1
		default:
			notes = append(notes, u.String())
		}
	}
	if columns > 0 {
		notes = append(notes, fmt.Sprintf("%s in %s were not in the training rows either", counted(rest, "value"),
			counted(columns, "more column")))
	}
	return notes
}

func (u Unseen) String() string {
	not := were(u.Values) + " not"
	if u.Rare {
		not = were(u.Values) + " rare or not"
	}
	more := ""
	if u.Values > len(u.First) {
		more = "; …"
	}
	return fmt.Sprintf("column %q: %s %s in the training rows, taken as %s: %s%s", u.Column, counted(u.Values, "value"),
		not, u.As, strings.Join(u.First, "; "), more)
}

// lookout finds new values in a column.
type lookout struct {
	seen  map[string]bool
	at    int // index of the pipeline's column
	found *Unseen
}

// lookouts find new values in rows.
type lookouts struct {
	all   []lookout
	noted func(row int) bool // nil: all rows
}

// lookouts returns a lookout for each column with known values.
func (b *prepared) lookouts() (all []lookout) {
	for _, s := range b.Seen {
		at := b.plan.In().Index(s.Column)
		if at < 0 {
			continue
		}
		l := lookout{make(map[string]bool, len(s.Values)), at, &Unseen{Column: s.Column, Rare: s.Some, As: s.As}}
		for _, text := range s.Values {
			l.seen[text] = true
		}
		all = append(all, l)
	}
	return all
}

// add counts a value. place returns its place.
func (u *Unseen) add(text string, place func() string) {
	u.Values++
	if len(u.First) < firstUnseen {
		u.First = append(u.First, fmt.Sprintf("%s %.40q", place(), text))
	}
}

// news returns the new values of a row for the pipeline, or nil if there are none. Column is the index of the lookout.
func (l *lookouts) news(row pipeline.Row) (found []pipeline.UnknownValue) {
	for k, of := range l.all {
		if v := row[of.at]; !of.seen[v.String()] {
			found = append(found, pipeline.UnknownValue{Column: k, Text: v.String()})
		}
	}
	return found
}

// count counts the new values of the row with this index.
func (l *lookouts) count(found []pipeline.UnknownValue, row int, place func() string) {
	if found == nil || l.noted != nil && !l.noted(row) {
		return
	}
	for _, v := range found {
		l.all[v.Column].found.add(v.Text, place)
	}
}

// watch makes the batch run report new values.
func (b *batchReader) watch() {
	for _, l := range b.to.lookouts.all {
		b.run.Watch(l.at, func(text string) bool { return l.seen[text] })
	}
}

// count counts the new values of a batch that by has read, in rows that make examples. first is the index of its first
// row, and place returns the places of its rows.
func (b *batchReader) count(by *batchReader, first int, place func(row int) string) {
	r := b.to
	for _, v := range by.run.Unknown() {
		if !by.makes(v.Row) || r.lookouts.noted != nil && !r.lookouts.noted(first+v.Row) {
			continue
		}
		for _, l := range r.lookouts.all {
			if l.at == v.Column {
				l.found.add(v.Text, func() string { return place(v.Row) })
			}
		}
	}
}

// makes reports whether a row of the last batch makes an example.
func (b *batchReader) makes(row int) bool {
	n := b.made.Rows()
	at := sort.Search(n, func(i int) bool { return b.made.From(i) >= row })
	return at < n && b.made.From(at) == row
}

// unseen counts the values so far that the training rows did not have.
func (l *lookouts) unseen() (all []Unseen) {
	for _, of := range l.all {
		if of.found.Values > 0 {
			all = append(all, *of.found)
		}
	}
	return all
}

// Unseen counts the values so far that the training rows did not have.
func (r *PreparedRows) Unseen() []Unseen { return r.unseen() }
