package analysis

import "slices"

// Seen are the values of a column of categories or truth values in the rows that a pipeline was proposed for. Any
// other value is new to it.
type Seen struct {
	Column string `json:"column"`
	// Values are those that are told apart, those that are rare, and gaps, as texts.
	Values []string `json:"values"`
	// Some: Values lacks rare ones, as there are too many.
	Some bool `json:"some,omitempty"`
	// As says what a new value is taken for, such as `"other"`.
	As string `json:"as"`
}

const (
	maxSeen      = 10_000  // values of a column
	maxSeenBytes = 1 << 18 // of all of them
)

// seen notes the values of a column that is used. gaps says that gaps are known, and kept are told apart.
func (b *proposer) seen(c *Column, kept []string, gaps bool, as string) {
	s := &Seen{Column: c.Name, As: as}
	bytes := 0
	if c.texts != nil && c.texts.exact() {
		for _, f := range c.texts.frequent() {
			s.Values = append(s.Values, f.Text)
			bytes += len(f.Text)
		}
	}
	if len(s.Values) == 0 || len(s.Values) > maxSeen || bytes > maxSeenBytes {
		s.Values, s.Some = slices.Clone(kept), true
	}
	if gaps {
		for _, text := range c.gapSet(b.table) {
			if !slices.Contains(s.Values, text) {
				s.Values = append(s.Values, text)
			}
		}
	}
	slices.Sort(s.Values)
	p := b.plans[c.Name]
	p.seen = s
	b.plans[c.Name] = p
}
