package source

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/instant"
)

// sequenceNotes count oddities of sequences that are no errors.
type sequenceNotes struct {
	single int // sequences of one row
	equal  int // rows whose time is that of the row before it
	late   int // rows that stand behind one of a later time
	steps  int
}

// add looks at a sequence, whose steps are in the order of the table.
func (n *sequenceNotes) add(g *gatheredSequence, timed bool) {
	n.steps += len(g.steps)
	if len(g.steps) == 1 {
		n.single++
	}
	if !timed {
		return
	}
	seen := make(map[instant.Instant]bool, len(g.steps))
	last := g.steps[0].time
	for _, s := range g.steps {
		if seen[s.time] {
			n.equal++
		}
		seen[s.time] = true
		if s.time.Compare(last) < 0 {
			n.late++
		} else {
			last = s.time
		}
	}
}

// texts are the notices; the first one is always there.
func (n *sequenceNotes) texts(sequences int) []string {
	all := []string{fmt.Sprintf("%s of %s", counted(sequences, "sequence"), counted(n.steps, "row"))}
	if n.single > 0 {
		all = append(all, counted(n.single, "sequence")+" of one row")
	}
	if n.late > 0 {
		all = append(all, counted(n.late, "row")+" stood behind one of a later time, and "+were(n.late)+" put in order")
	}
	if n.equal > 0 {
		all = append(all, counted(n.equal, "row")+" of the same time as another one of the sequence: these keep the order "+
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

// RowNotes are notes on rows that workers made: how many texts were cut, how many steps of sequences have no label,
// which values are new, and which rows were skipped.
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

// counted is a number of things.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
