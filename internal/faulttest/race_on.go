//go:build race

package faulttest

// raceDetector needs an address space that a limit of memory takes away: a worker that is to run short ends otherwise.
const raceDetector = true
