//go:build !unix

package worker

import "os"

// takeStreams returns the input and output that the process was started with. It redirects os.Stdout to standard error,
// so that output of the user's code does not come between the records.
func takeStreams() (in, out *os.File, err error) {
	out = os.Stdout
	os.Stdout = os.Stderr
	return os.Stdin, out, nil
}
