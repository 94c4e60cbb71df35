package resident

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/registry"
)

// Portable is a reference whose twin belongs to a coordinator in another process. It receives the twin's result.
type Portable interface {
	coordination.Reference
	// Twin says how the other process makes the twin. The twin begins without parameters.
	Twin() (kind ReferenceKind, settings []byte)
	// Account returns the reference's statistics of the updates, in bytes, and SetAccount installs the twin's. Both are
	// called in a host's loop, before Plan.News.
	Account() []byte
	SetAccount([]byte) error
}

// release ends the threads of a twin, if it has a Close for that.
func release(twin Portable) {
	if c, has := twin.(interface{ Close() }); has {
		c.Close()
	}
}

// ReferenceKind is a registered way to make references.
type ReferenceKind struct{ name string }

// RegisterReference makes a kind known to drivers and to the programs that host their coordinators. Call it to
// initialise a package variable. It panics if the name is taken.
func RegisterReference(name string, f func(settings []byte) (Portable, error)) ReferenceKind {
	references.Add(name, f)
	return ReferenceKind{name}
}

var references = registry.New[func([]byte) (Portable, error)]("reference of resident workers")

// twin returns the name and settings of a reference's twin.
func twin(r coordination.Reference) (name string, settings []byte, err error) {
	p, ok := r.(Portable)
	if !ok {
		return "", nil, fmt.Errorf("a reference of type %T can't be a coordinator's in another process: it is not Portable",
			r)
	}
	kind, settings := p.Twin()
	return kind.name, settings, nil
}

// NoReference is for coordinators that only run rounds. They have no parameters of their own.
type NoReference struct{}

var noReference = RegisterReference("none", func([]byte) (Portable, error) { return NoReference{}, nil })

var errNoUpdates = errors.New("a coordinator of rounds alone has got an update")

func (NoReference) Install([]byte) error             { return nil }
func (NoReference) Expect([][]byte)                  {}
func (NoReference) CatchUp()                         {}
func (NoReference) Apply(*coordination.Entry) error  { return errNoUpdates }
func (NoReference) Average([][]byte) ([]byte, error) { return nil, errNoUpdates }
func (NoReference) SetStatistics([]byte) error       { return errNoUpdates }
func (NoReference) Constrain() error                 { return errNoUpdates }
func (NoReference) Params() ([]byte, error)          { return nil, nil }
func (NoReference) Sum() ([]byte, error)             { return nil, errNoUpdates }
func (NoReference) Twin() (ReferenceKind, []byte)    { return noReference, nil }
func (NoReference) Account() []byte                  { return nil }
func (NoReference) SetAccount([]byte) error          { return nil }
