package keras

import (
	"archive/zip"
	"io"
	"strconv"
	"strings"
)

// maxAsset bounds the file of a vocabulary.
const maxAsset = 16 << 20

// vocabulary reads the entries of a lookup that was adapted to data. They are in a file of a .keras archive; nil if
// there is none.
func (a *archive) vocabulary(l *kerasLayer) []any {
	var found *zip.File
	for name, m := range a.assets {
		if strings.HasPrefix(name, "assets/") && strings.HasSuffix(name, "/"+l.place+"/vocabulary.txt") {
			if found != nil {
				l.refuse("the zip has two vocabularies for it, %s and %s", shown(found.Name), shown(name))
			}
			found = m
		}
	}
	if found == nil {
		return nil
	}
	if found.UncompressedSize64 > maxAsset {
		l.refuse("its vocabulary inflates to %d bytes: there may be %d", found.UncompressedSize64, maxAsset)
	}
	f := must(found.Open())
	defer f.Close()
	text := string(must(io.ReadAll(io.LimitReader(f, maxAsset))))
	var entries []any
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if l.class != "IntegerLookup" {
			entries = append(entries, line)
			continue
		}
		x, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			l.refuse("%s has the line %s, which is not a whole number", found.Name, shown(line))
		}
		entries = append(entries, float64(x))
	}
	return entries
}
