//go:build !unix

package worker

import "os"

// readValue gives a file's content.
func readValue(path string) (value []byte, free func(), err error) {
	value, err = os.ReadFile(path)
	return value, nil, err
}
