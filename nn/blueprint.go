package nn

// blueprint holds everything of a network that follows from its configuration. Programs are lowered from it.
type blueprint struct {
	topology
	sequencing
	layout   layout
	segments []segment
}

// NumParams returns the number of parameters.
func (n *blueprint) NumParams() int { return n.layout.params }

// NumStates returns the length of the updater state.
func (n *blueprint) NumStates() int { return n.layout.state }
