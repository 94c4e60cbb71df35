//go:build race

package faulttest

// raceDetector is true because the race detector reserves so much address space that a memory limit ends the worker in
// another way than the tests of memory expect.
const raceDetector = true
