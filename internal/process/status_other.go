//go:build !unix

package process

import "os"

func status(s *os.ProcessState) int { return s.ExitCode() }
