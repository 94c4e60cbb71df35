//go:build !linux

package cpu

func askForHugePages([]float32) {}
