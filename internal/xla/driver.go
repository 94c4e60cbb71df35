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
	for _, kind := range []string{"cuda13", "cuda12"} {
		if d.Version != "" && d.Runs(kind) {
			return kind
		}
	}
	return ""
}

// Runs reports whether the driver can run a kind of plugin, as far as its version is known.
func (d Driver) Runs(kind string) bool {
	switch {
	case d.Version == "" || kind == "cpu":
		return true
	case kind == "cuda13":
		return d.Major >= 580
	}
	return d.Major >= 525
}

// plugins returns those of the kinds that the driver of a machine can run. The list of kinds is not empty.
func (d Driver) plugins(kinds []string) (list []string, err error) {
	for _, kind := range kinds {
		if d.Runs(kind) {
			list = append(list, kind)
		}
	}
	if list == nil && d.Plugin() == "" {
		return nil, fmt.Errorf("NVIDIA's driver %s is too old: install one from 525 on, or leave --device out", d.Version)
	} else if list == nil {
		return nil, fmt.Errorf("NVIDIA's driver %s is too old for %s: run dl4go device install %s, or install a driver "+
			"from 580 on", d.Version, kinds[0], d.Plugin())
	}
	return list, nil
}

// runnable returns those of the kinds that this machine's driver can run.
func runnable(kinds []string) ([]string, error) {
	if kinds[0] == "cpu" {
		return kinds, nil
	}
	d, _, err := FindDriver()
	if err != nil {
		return nil, err
	}
	return d.plugins(kinds)
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
