package xla

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
)

// Driver is NVIDIA's driver in the kernel of a machine. The zero value means that there is none.
type Driver struct {
	Version string // such as 580.65.06; empty if unknown
	Major   int    // 580
}

// Plugin returns the newest kind of plugin that the driver can run: cuda13 from 580 on, cuda12 from 525 on, or "".
func (d Driver) Plugin() string {
	switch {
	case d.Major >= 580:
		return "cuda13"
	case d.Major >= 525:
		return "cuda12"
	}
	return ""
}

// FindDriver looks for the driver of this machine. found is false if there is none.
func FindDriver() (d Driver, found bool, err error) { return readDriver(driver) }

var driverVersion = regexp.MustCompile(`\b(\d{2,4})\.\d+(\.\d+)?\b`)

func readDriver(path string) (d Driver, found bool, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("NVIDIA's driver: %w", err)
	}
	if m := driverVersion.FindSubmatch(text); m != nil {
		d.Version = string(m[0])
		d.Major, _ = strconv.Atoi(string(m[1])) // digits
	}
	return d, true, nil
}
