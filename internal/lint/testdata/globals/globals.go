// Package globals has variables of each kind that TestGlobalsAreFound checks.
package globals

import (
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
)

// These are tables.
var (
	Names    = map[string]int{"a": 1}
	Filled   map[string]int
	Digits   = regexp.MustCompile(`\d`)
	Squares  = func() (all [3]int) { all[1] = 1; return all }()
	first    = 1
	pointers = [...]*int{&first}
)

func init() { Filled = map[string]int{"a": 1} }

// Use reads the variables, and has local variables of the same names.
func Use() int {
	first := pointers[0]
	first = new(int)
	Names := map[string]int{}
	Names["b"] = 2
	return Names["a"] + Filled["a"] + *first + Squares[1] + len(Digits.String())
}

type point struct{ x, y int }

func (p *point) move() { p.x++ }

type guarded struct {
	mu sync.Mutex
	n  int
}

// These are state.
var (
	assigned  int
	counted   int
	elements  = map[string]int{}
	removed   = map[string]int{}
	cleared   = []int{1}
	copied    = []int{1}
	field     point
	moved     point
	addressed int
	ranged    int
	pointer   = &point{}
	channel   = make(chan int)
	lock      sync.Mutex
	flag      atomic.Bool
	inside    guarded
	closure   int
	Handler   = func() { closure = 1 }
)

// Change changes the variables, and one of another package.
func Change() *int {
	assigned, elements["a"], field.x = 1, 1, 1
	counted++
	delete(removed, "a")
	clear(cleared)
	copy(copied, cleared)
	moved.move()
	for ranged = range 2 {
	}
	http.DefaultClient = nil
	channel <- len(pointers) + pointer.x
	lock.Lock()
	inside.mu.Lock()
	flag.Store(true)
	return &addressed
}
