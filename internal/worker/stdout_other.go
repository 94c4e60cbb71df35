//go:build !unix

package worker

import "os"

// takeStreams gives the input and output that the process was started with, and makes of os.Stdout another standard
// error, so that what a user's code prints does not come between the records.
func takeStreams() (in, out *os.File, err error) {
	out = os.Stdout
	os.Stdout = os.Stderr
	return os.Stdin, out, nil
}
