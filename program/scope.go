package program

// Phase is the part of a training step that an operation belongs to.
type Phase string

// The phases. Programs of inference only have the first.
const (
	Forward  Phase = "forward"
	Backward Phase = "backward"
	Updating Phase = "update"
)

// Scope says which part of a network an operation belongs to.
type Scope struct {
	Layer string // empty: none
	Phase Phase
}
