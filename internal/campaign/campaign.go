// Package campaign sets the length of tests that could go on forever, such as those with damaged files or random
// programs.
package campaign

import (
	"os"
	"testing"
)

// On reports whether make campaign runs the test.
func On() bool { return os.Getenv("DL4GO_CAMPAIGN") != "" }

// Count returns how often a test tries: short with -short, full without, long in make campaign, which sets
// DL4GO_CAMPAIGN.
func Count(short, full, long int) int {
	switch {
	case On():
		return long
	case testing.Short():
		return short
	}
	return full
}
