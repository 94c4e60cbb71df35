package analysis

import "slices"

// Seen holds the values of a column of categories or booleans in the rows for which a pipeline was proposed. Any other
// value is unknown to it.
type Seen struct {
	Column string `json:"column"`
	// Values are the distinguished values, the rare ones, and gaps, as texts.
	Values []string `json:"values"`
	// Some is true if Values lacks rare ones, because there are too many.
	Some bool `json:"some,omitempty"`
	// As says how an unknown value is treated, such as `"other"`.
	As string `json:"as"`
}

const (
	maxSeen      = 10_000  // values of a column
	maxSeenBytes = 1 << 18 // of all of them
)

// seen records the values of a used column. gaps says that gaps are known; kept are the distinguished values.
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
