package program

// Phase is the part of a training step that an operation belongs to.
type Phase string

// The phases. Programs of inference have the first one alone.
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

// In says that the operations emitted from now on belong to a layer, in the forward half or in the update. Those that
// [Builder.Gradients] emits belong to the layer of the operation whose gradient they are.
func (b *Builder) In(layer string, phase Phase) { b.scope = Scope{layer, phase} }
