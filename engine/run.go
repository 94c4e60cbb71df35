package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"
	"time"
)

// Cleaner is an [Engine] that finds and removes the storage of killed runs.
type Cleaner interface {
	// Runs lists the storage that runs use in dir, or, if dir is empty, in the default directory and the temporary
	// directory: of runs in progress and of killed ones.
	Runs(ctx context.Context, dir string) ([]Run, error)
	// RemoveRun removes the storage of a run that Runs listed. It fails if the owner is alive.
	RemoveRun(ctx context.Context, r Run) error
}

// Run describes the temporary storage of a run, a directory or a table, as [Cleaner.Runs] finds it.
type Run struct {
	Name  string // see RunName
	Place string // where it is, for messages
	// Seen is when the owner was last known to be alive, or when the run began.
	Seen  time.Time
	Bytes int64 // its size; -1 if unknown
	Owner Owner
}

// Owner says whether the program that made a run's storage is still alive.
type Owner int

// If the owner is on this machine, it is known whether it is alive. Otherwise only Run.Seen gives a hint.
const (
	OwnerUnknown Owner = iota
	OwnerLives
	OwnerGone
)

const (
	runPrefix = "dl4go_run_"
	runTime   = "20060102t150405"
	runRandom = 8 // digits
)

// RunName makes a name for the storage of a run, dl4go_run_<UTC time>_<random>. It is a lower-case word that every file
// system and catalogue accepts.
func RunName(now time.Time) string {
	random := make([]byte, runRandom/2)
	rand.Read(random)
	return runPrefix + now.UTC().Format(runTime) + "_" + hex.EncodeToString(random)
}

// RunTime returns the start of the run with this name; ok is false if the name is not a run's.
func RunTime(name string) (began time.Time, ok bool) {
	rest, ours := strings.CutPrefix(name, runPrefix)
	at, random, two := strings.Cut(rest, "_")
	began, err := time.Parse(runTime, at)
	_, hexErr := hex.DecodeString(random)
	return began, ours && two && err == nil && hexErr == nil && len(random) == runRandom
}
