//go:build !unix

package faulttest

import "errors"

func stop() error { return errors.New("faulttest: processes can't be stopped here") }
