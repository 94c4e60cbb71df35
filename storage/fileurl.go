package storage

import (
	"fmt"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// Path returns the path of the local file that a file: URL names. It returns any other name unchanged. All functions
// of this package apply it to their names, so a program needs it only to use a path in another way.
//
// The forms are those of RFC 8089: file:///PATH, file:/PATH and file://localhost/PATH, with %20 for a space. The URL
// of another machine's file is an error.
func Path(name string) (string, error) {
	const scheme = "file:"
	if len(name) <= len(scheme) || !strings.EqualFold(name[:len(scheme)], scheme) || name[len(scheme)] != '/' {
		return name, nil
	}
	path := name[len(scheme):]
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		slash := strings.Index(rest, "/")
		if slash < 0 {
			return "", fmt.Errorf("%s: there is no path; write file:///PATH", name)
		}
		if host := rest[:slash]; host != "" && !strings.EqualFold(host, "localhost") {
			return "", fmt.Errorf("%s: the file is on another machine, %s; write file:///PATH for one of this machine", name,
				host)
		}
		path = rest[slash:]
	}
	path, err := url.PathUnescape(path)
	if err != nil || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%s: a %% that begins no character's code; write %%25 for a percent sign", name)
	}
	if runtime.GOOS == "windows" && len(path) > 2 && path[2] == ':' {
		path = path[1:] // of a Windows drive
	}
	return filepath.FromSlash(path), nil
}
