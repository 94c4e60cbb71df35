package xla

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDriver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "version")
	if d, found, err := readDriver(path); d != (Driver{}) || found || err != nil {
		t.Errorf("without a driver: %+v, %v, %v", d, found, err)
	}
	for text, want := range map[string]struct {
		d      Driver
		plugin string
	}{
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version: 12.2.0": {
			Driver{"535.104.05", 535}, "cuda12"},
		"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build": {
			Driver{"580.65.06", 580}, "cuda13"},
		"NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82  Wed": {Driver{"470.82", 470}, ""},
		"NVRM version: unknown": {Driver{}, ""},
		"":                      {Driver{}, ""},
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if d, found, err := readDriver(path); d != want.d || d.Plugin() != want.plugin || !found || err != nil {
			t.Errorf("%q: %+v, plugin %q, %v, %v", text, d, d.Plugin(), found, err)
		}
	}
	for _, c := range []struct {
		d           Driver
		kinds, want []string
		problem     string
	}{
		{Driver{"580.65", 580}, []string{"cuda13", "cuda12"}, []string{"cuda13", "cuda12"}, ""},
		{Driver{"535.1", 535}, []string{"cuda13", "cuda12"}, []string{"cuda12"}, ""},
		{Driver{"535.1", 535}, []string{"cuda13"}, nil, "device install cuda12"},
		{Driver{"470.82", 470}, []string{"cuda13", "cuda12"}, nil, "driver 470.82 is too old: install one from 525 on"},
		{Driver{}, []string{"cuda13"}, []string{"cuda13"}, ""},
	} {
		got, err := c.d.plugins(c.kinds)
		if !slices.Equal(got, c.want) || (err == nil) != (c.problem == "") ||
			err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("driver %+v, plugins %q: %q, %v", c.d, c.kinds, got, err)
		}
	}
	if _, found, err := readDriver(filepath.Dir(path)); found || err == nil {
		t.Errorf("a directory: %v, %v", found, err)
	}
}
