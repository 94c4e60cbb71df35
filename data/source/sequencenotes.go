package source

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/instant"
)

// SequenceCounts counts sequences, and oddities in them that are not errors.
type SequenceCounts struct {
	Sequences int
	Steps     int
	Single    int // sequences of one row
	Equal     int // rows with the same time as another one of their sequence
	Late      int // rows after one with a later time
}

// Join adds the counts of other rows.
func (n *SequenceCounts) Join(o SequenceCounts) {
	n.Sequences, n.Steps, n.Single = n.Sequences+o.Sequences, n.Steps+o.Steps, n.Single+o.Single
	n.Equal, n.Late = n.Equal+o.Equal, n.Late+o.Late
}

// add counts a sequence. Its steps are in the order of the table.
func (n *SequenceCounts) add(g *gatheredSequence, timed bool) {
	n.Sequences++
	n.Steps += len(g.steps)
	if len(g.steps) == 1 {
		n.Single++
	}
	if !timed {
		return
	}
	seen := make(map[instant.Instant]bool, len(g.steps))
	last := g.steps[0].time
	for _, s := range g.steps {
		if seen[s.time] {
			n.Equal++
		}
		seen[s.time] = true
		if s.time.Compare(last) < 0 {
			n.Late++
		} else {
			last = s.time
		}
	}
}

// Notes returns notices for people. There is at least one.
func (n *SequenceCounts) Notes() []string {
	all := []string{fmt.Sprintf("%s of %s", counted(n.Sequences, "sequence"), counted(n.Steps, "row"))}
	if n.Single > 0 {
		all = append(all, counted(n.Single, "sequence")+" of one row")
	}
	if n.Late > 0 {
		all = append(all, counted(n.Late, "row")+" stood behind one of a later time, and "+were(n.Late)+" put in order")
	}
	if n.Equal > 0 {
		all = append(all, counted(n.Equal, "row")+" of the same time as another one of the sequence: these keep the order "+
			"of the table")
	}
	return all
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// RowNotes returns notes on rows that workers processed: how many texts were cut, how many steps of sequences have no
// label, which values are new, and which rows were skipped.
func RowNotes(cut, gaps int, p *Preparation, unseen []Unseen, bad *BadRows) (notes []string) {
	if p.Sequence != nil && p.Sequence.Tokens != nil {
		notes = cutNotes(cut, p.Sequence.Tokens)
	}
	notes = append(notes, gapNotes(gaps)...)
	notes = append(notes, unseenNotes(unseen)...)
	if skipped := bad.Notice(); skipped != "" {
		notes = append(notes, skipped)
	}
	return notes
}

func gapNotes(steps int) []string {
	if steps == 0 {
		return nil
	}
	return []string{counted(steps, "step") + " without a label: masked"}
}

// counted returns a number of things as text.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
