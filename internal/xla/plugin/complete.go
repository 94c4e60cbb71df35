package plugin

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// complete checks that the shared libraries of a plugin's wheels are in its directory, whole. Each wheel has a list of
// its files; a directory without such lists is not checked. The error names every library that is missing, with its
// package.
func complete(kind, dir string) error {
	var missing []string
	for _, w := range Wheels(kind) {
		name := strings.SplitN(w.File, "-", 3)
		if len(name) < 3 {
			continue
		}
		list, err := os.ReadFile(filepath.Join(dir, name[0]+"-"+name[1]+".dist-info", "RECORD"))
		if err != nil {
			continue
		}
		for _, library := range incomplete(dir, string(list)) {
			missing = append(missing, fmt.Sprintf("%s of the package %s", library, w.Project))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("the plugin %s lacks %s; run dl4go device install %s again", kind, strings.Join(missing, ", "), kind)
}

// incomplete returns the shared libraries of a wheel's list that are missing from a directory or have another size.
func incomplete(dir, list string) (names []string) {
	rows, err := csv.NewReader(strings.NewReader(list)).ReadAll()
	if err != nil {
		return nil
	}
	for _, row := range rows {
		if len(row) < 3 || !strings.Contains(filepath.Base(row[0]), ".so") || !filepath.IsLocal(row[0]) {
			continue
		}
		size, err := strconv.ParseInt(row[2], 10, 64)
		if err != nil {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, row[0]))
		switch {
		case err != nil:
			names = append(names, filepath.Base(row[0]))
		case info.Size() != size:
			names = append(names, fmt.Sprintf("%s (it has %d of %d bytes)", filepath.Base(row[0]), info.Size(), size))
		}
	}
	return names
}
