// Package campaign says how long the tests are that could go on for ever: damaged files, random programs.
package campaign

import (
	"os"
	"testing"
)

// On says whether this is make campaign.
func On() bool { return os.Getenv("DL4GO_CAMPAIGN") != "" }

// Count is how often a test tries: short with -short, full without, long in make campaign, which sets DL4GO_CAMPAIGN.
func Count(short, full, long int) int {
	switch {
	case On():
		return long
	case testing.Short():
		return short
	}
	return full
}
