// Package leaks names internal types in every possible way. The names that begin with Fine do not.
package leaks

import (
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
)

// Argument and those below are functions, variables and constants.
func Argument(...*random.Source)         {}
func Result() map[string][]random.Source { return nil }
func Parameter[T parallel.Task](T)       {}
func Hidden() hidden                     { return hidden{} }
func FineFunction(fine) (f fine)         { return }

var Variable func(chan *random.Source)

// Alias and those below are types.
type (
	Alias                    = random.Source
	Through                  = local
	Defined                  random.Source
	Field                    struct{ First, Second *random.Source }
	Embedded                 struct{ *random.Source }
	Promoted                 struct{ hidden }
	Interface                interface{ Method(*random.Source) }
	Includes                 interface{ parallel.Task }
	Union                    interface{ ~int | []random.Source }
	Generic[T parallel.Task] struct{}
	FineStruct               struct{ source random.Source }
	FineSealed               interface{ draw(*random.Source) }
	Method                   struct{}
)

func (*Method) Take(random.Source) {}
func (Method) fine(random.Source)  {}
func (FineStruct) Fine(f fine)     {}

type (
	local  = random.Source
	hidden struct{}
	fine   struct{ source random.Source }
)

// Take is reached through Hidden and Promoted.
func (hidden) Take(*parallel.Pool) {}
