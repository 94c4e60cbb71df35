package source

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// maxWindow limits the memory for unpacking a zstd file, in bytes: zstd's own default (--long=27).
const maxWindow = 128 << 20

// unpacked reads a file's content. It recognizes gzip, zstd and bzip2 by the first bytes, whatever the file's name is.
// Its memory is limited to a block, whatever the file says. Close ends the unpacking, but does not close the file.
func unpacked(file io.Reader) (io.ReadCloser, error) {
	in := bufio.NewReaderSize(file, 64<<10)
	head, _ := in.Peek(2) // more bytes may be long in coming
	switch {
	case string(head) == "\x1f\x8b":
		return gzip.NewReader(in)
	case string(head) == "\x28\xb5":
		if head, _ = in.Peek(4); string(head) != "\x28\xb5\x2f\xfd" {
			break
		}
		d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	case string(head) == "BZ":
		if head, _ = in.Peek(10); len(head) == 10 && head[2] == 'h' && string(head[4:]) == "\x31\x41\x59\x26\x53\x59" {
			return io.NopCloser(bzip2.NewReader(in)), nil
		}
	}
	return io.NopCloser(in), nil
}

// encodings are the encodings of text files. UTF-8 is nil.
var encodings = map[string]encoding.Encoding{
	"utf-8":        nil,
	"utf-16":       unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"latin-1":      charmap.ISO8859_1,
	"iso-8859-1":   charmap.ISO8859_1,
	"iso-8859-15":  charmap.ISO8859_15,
	"windows-1252": charmap.Windows1252,
}

// encodingNames are the names that shells complete.
var encodingNames = []string{"utf-8", "utf-16", "latin-1", "windows-1252", "iso-8859-15", "utf-16le", "utf-16be"}

// checkEncoding returns an encoding's standard name. Upper and lower case are the same.
func checkEncoding(name string) (string, error) {
	key := strings.ToLower(name)
	if key == "latin1" || key == "utf8" || key == "utf16" {
		key = strings.Replace(strings.Replace(key, "latin", "latin-", 1), "utf", "utf-", 1)
	}
	if _, ok := encodings[key]; !ok {
		return "", &SettingError{"encoding", name, "there are " + strings.Join(encodingNames, ", ")}
	}
	return key, nil
}

// decoded converts a text to UTF-8 and drops its byte order mark. utf16 is true if the text looks like UTF-16, but no
// such encoding was named.
func decoded(in io.Reader, name string) (text io.Reader, utf16 bool) {
	if e := encodings[name]; e != nil {
		in = e.NewDecoder().Reader(in)
	}
	b := bufio.NewReaderSize(in, 64<<10)
	if head, _ := b.Peek(3); bytes.Equal(head, []byte("\ufeff")) {
		b.Discard(3)
	}
	head, _ := b.Peek(min(8, b.Buffered())) // only the bytes that are here: more may be long in coming
	return b, encodings[name] == nil && UTF16(slices.Clone(head))
}
