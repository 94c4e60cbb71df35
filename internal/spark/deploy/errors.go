package deploy

import (
	"fmt"
	"strings"
)

// PlatformError says that there is no file of this program for an executor.
type PlatformError struct {
	Platform Platform // the zero one, if Go has no name for it
	Machine  string   // in the executor's words: Linux-aarch64
	Host     string   // the executor's
	Reason   error    // why it was not built
}

func (e *PlatformError) Error() string {
	s := fmt.Sprintf("executor %s is another kind of machine (%s) than this program is for (%s), and no file for it is "+
		"at hand: %v",
		e.Host, strings.ReplaceAll(e.Machine, "-", " "), Own(), e.Reason)
	if e.Platform == (Platform{}) {
		return s
	}
	return s + fmt.Sprintf(". Where the source of this same version lies, build one (%s), and name it: --worker-binary "+
		"%s=%s, or %s in the environment",
		e.Platform.command(), e.Platform, e.Platform.file(), BinariesVariable)
}

func (e *PlatformError) Unwrap() error { return e.Reason }

// RefusedError says that a cluster runs no tasks by SQL's TRANSFORM.
type RefusedError struct {
	Server string
	Cause  error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s does not run tasks by SQL's TRANSFORM, as dl4go's workers need it: %v (dl4go doctor says "+
		"what is missing)",
		e.Server, e.Cause)
}

func (e *RefusedError) Unwrap() error { return e.Cause }
