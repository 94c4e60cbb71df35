package coordination

import "fmt"

// journal is the coordinator's log, and the reference parameters to which the whole log is applied.
type journal struct {
	*run
	*roster
	ref  Reference
	log  window
	keep uint64 // no worker asks for entries before it
	// fresh means that nothing has changed the parameters since position base, where any worker can begin.
	fresh bool
	base  uint64
	// agreed means that the replicas have the reference's parameters, or will have them. It is false in and after
	// rounds.
	agreed    bool
	sinceSave int  // entries
	behind    bool // the reference may have put the last updates off
}

// append puts an entry into the log.
func (j *journal) append(e *Entry) {
	j.log.append(e)
	j.moved = j.now
	j.sinceSave++
}

// joinFrom joins the entries after a position of the log into one release. None of them was sent yet.
func (j *journal) joinFrom(position uint64) {
	for p := position + 1; p < j.log.head(); p++ {
		j.log.at(p).More = true
	}
}

// params returns the reference's parameters. If that fails, it ends the run and returns nil.
func (j *journal) params() []byte {
	params, err := j.ref.Params()
	if err != nil {
		j.fail(fmt.Errorf("gradient sharing: the reference parameters: %w", err))
		return nil
	}
	if params == nil {
		params = []byte{}
	}
	return params
}

// trim drops the entries of the log that no worker can ask for.
func (j *journal) trim() {
	j.keep = j.log.head() + 1
	if j.fresh {
		j.keep = j.base + 1
	}
	for _, m := range j.members {
		if m != nil && m.active {
			j.keep = min(j.keep, m.applied+1)
		}
	}
	j.log.trim(j.keep)
}

// Head is the last position of the log.
func (j *journal) Head() uint64 { return j.log.head() }
