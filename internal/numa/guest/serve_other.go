//go:build !linux

package main

// serve is for Linux.
func serve() {}
