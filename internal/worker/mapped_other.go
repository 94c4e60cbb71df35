//go:build !unix

package worker

import "os"

// readValue returns a file's contents.
func readValue(path string) (value []byte, free func(), err error) {
	value, err = os.ReadFile(path)
	return value, nil, err
}
