package deploy

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// safePath matches paths that no shell changes.
var safePath = regexp.MustCompile(`^/[A-Za-z0-9/._+@%=-]+$`)

// onExecutors returns the path of a named file that already lies on each executor: file:///opt/dl4go.
func onExecutors(file string) (at string, ok bool, err error) {
	at, ok = strings.CutPrefix(file, "file:")
	if !ok {
		return "", false, nil
	}
	at = "/" + strings.TrimLeft(at, "/")
	if !strings.HasPrefix(file, "file:/") || !safePath.MatchString(at) || path.Clean(at) != at {
		return "", false, fmt.Errorf("the worker program %q: wanted the absolute path of a file that lies on each "+
			"executor, such as "+
			"file:///opt/dl4go/dl4go, of letters, digits and ._+@%%=-", file)
	}
	return at, true, nil
}

// Compared returns the build that workers must have if this program did not send their file: the driver's own. It is
// empty if that is unknown, as there are machines of other kinds. It is known after Send.
func (p *Program) Compared() string {
	own := Own().machine()
	for machine := range p.machines {
		if platform, _ := platformOf(machine); platform != Own() {
			return ""
		}
		own = machine
	}
	if p.there[own] == "" {
		return ""
	}
	return p.build
}
