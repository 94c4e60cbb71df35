package source

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/npy"
)

// TailBytes is the number of bytes at the end of an archive that [FindArrays] needs. They hold the directory of some
// thousand arrays.
const TailBytes = 256 << 10

// EntryBytes is the number of bytes at the beginning of an entry that [ArrayPlace.Head] needs.
const EntryBytes = 1<<10 + npy.HeadBytes

// ArrayPlace is the place of an array in an archive, a .npz file.
type ArrayPlace struct {
	Name  string
	Label bool
	// Entry is the offset of the archive's entry. The array follows the header of the entry: it begins at From, and has
	// Bytes bytes. If it is Packed, these become Unpacked bytes.
	Entry, From, Bytes, Unpacked int64
	Packed                       bool
}

// Archived reports whether the named arrays are in a .npz file.
func Archived(n Name) bool {
	c, err := npyOf(n)
	return err == nil && n.Kind == "npy" && c.archive
}

// archivedNames returns the names of arrays in messages.
func archivedNames(path string, places []ArrayPlace) (names []string) {
	for _, p := range places {
		names = append(names, path+": array "+p.Name)
	}
	return names
}

// FindArrays finds the named arrays in an archive: the inputs, and the labels if there are any. tail is the end of the
// file, of [TailBytes]. The places are complete after [ArrayPlace.Head].
func FindArrays(n Name, o Options, tail []byte) ([]ArrayPlace, error) {
	c, err := npyOf(n)
	if err != nil {
		return nil, err
	}
	found, err := readDirectory(tail)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.files[0], err)
	}
	var names []string
	for _, p := range found {
		names = append(names, p.Name)
	}
	wanted, label := c.archived(names, o.Unlabelled)
	if label != "" {
		wanted = append(wanted, label)
	}
	var places []ArrayPlace
	for i, name := range wanted {
		at := slices.Index(names, name)
		if at < 0 {
			err := fmt.Errorf("%s: there is no array %s: there are %s", c.files[0], name, strings.Join(names, ", "))
			return nil, c.untold(err)
		}
		found[at].Label = label != "" && i == len(wanted)-1
		places = append(places, found[at])
	}
	return places, nil
}

// archived returns the arrays of an archive that settings name, or x and y.
func (o npyOptions) archived(names []string, unlabelled bool) (features []string, label string) {
	features, label = slices.Clone(o.features), o.labels
	if features == nil {
		features = []string{"x"}
	}
	switch {
	case unlabelled:
		label = ""
	case label == "" && slices.Contains(names, "y"):
		label = "y"
	}
	return features, label
}

// untold adds to the error of a missing array which settings name another one.
func (o npyOptions) untold(err error) error {
	if o.features == nil {
		return fmt.Errorf("%w; inputs=NAME and labels=NAME tell which are meant", err)
	}
	return err
}

// Signatures and sizes of a zip archive's records.
const (
	zipEntry, zipEntrySize         = "PK\x03\x04", 30
	zipListed, zipListedSize       = "PK\x01\x02", 46
	zipEnd, zipEndSize             = "PK\x05\x06", 22
	zipEnd64, zipEnd64Size         = "PK\x06\x06", 56
	zipLocator64, zipLocator64Size = "PK\x06\x07", 20
)

var errNoArchive = errors.New("it is no .npz file")

// readDirectory reads the directory of a zip archive from the end of the file.
func readDirectory(tail []byte) (places []ArrayPlace, err error) {
	at := bytes.LastIndex(tail, []byte(zipEnd))
	if at < 0 || at+zipEndSize > len(tail) {
		return nil, errNoArchive
	}
	size := int64(binary.LittleEndian.Uint32(tail[at+12:]))
	if long := at - zipLocator64Size - zipEnd64Size; long >= 0 && string(tail[long:long+4]) == zipEnd64 &&
		string(tail[at-zipLocator64Size:][:4]) == zipLocator64 {
		at, size = long, int64(binary.LittleEndian.Uint64(tail[long+40:]))
	}
	if size < 0 || size > int64(at) {
		return nil, fmt.Errorf("its directory of %d bytes is longer than the %d that are looked through", size, TailBytes)
	}
	for list := tail[int64(at)-size : at]; len(list) > 0; {
		if len(list) < zipListedSize || string(list[:4]) != zipListed {
			return nil, errNoArchive
		}
		name := int(binary.LittleEndian.Uint16(list[28:]))
		extra := int(binary.LittleEndian.Uint16(list[30:]))
		end := zipListedSize + name + extra + int(binary.LittleEndian.Uint16(list[32:]))
		if end > len(list) {
			return nil, errNoArchive
		}
		p, ok, err := listedArray(list[:zipListedSize+name+extra], name)
		if err != nil {
			return nil, err
		}
		if ok {
			places = append(places, p)
		}
		list = list[end:]
	}
	return places, nil
}

// listedArray reads a record of the directory. ok is false if the file is not an array.
func listedArray(record []byte, name int) (p ArrayPlace, ok bool, err error) {
	p.Name, ok = strings.CutSuffix(string(record[zipListedSize:zipListedSize+name]), ".npy")
	if !ok {
		return p, false, nil
	}
	p.Bytes, p.Unpacked = int64(binary.LittleEndian.Uint32(record[20:])), int64(binary.LittleEndian.Uint32(record[24:]))
	p.Entry = int64(binary.LittleEndian.Uint32(record[42:]))
	for extra := record[zipListedSize+name:]; len(extra) >= 4; {
		n := min(int(binary.LittleEndian.Uint16(extra[2:])), len(extra)-4)
		if long := extra[4 : 4+n]; binary.LittleEndian.Uint16(extra) == 1 { // sizes and places of 64 bits
			for _, to := range []*int64{&p.Unpacked, &p.Bytes, &p.Entry} {
				if *to == 1<<32-1 && len(long) >= 8 {
					*to, long = int64(binary.LittleEndian.Uint64(long)), long[8:]
				}
			}
		}
		extra = extra[4+n:]
	}
	switch method := binary.LittleEndian.Uint16(record[10:]); {
	case method > 0 && method != 8:
		err = fmt.Errorf("array %s: it is packed by method %d of zip archives; NumPy writes 0 and 8", p.Name, method)
	case p.Bytes < 0 || p.Entry < 0 || p.Unpacked < 0 || method == 0 && p.Unpacked != p.Bytes ||
		!npy.CanHold(p.Bytes, p.Unpacked):
		err = fmt.Errorf("array %s: its %d bytes can't hold the %d that it claims", p.Name, p.Bytes, p.Unpacked)
	default:
		p.Packed = method == 8
	}
	return p, true, err
}

// Head returns the beginning of the array, and fills in the place. entry is the beginning of the archive's entry, of
// [EntryBytes].
func (p *ArrayPlace) Head(entry []byte) ([]byte, error) {
	if len(entry) < zipEntrySize || string(entry[:4]) != zipEntry {
		return nil, fmt.Errorf("array %s: %w", p.Name, errNoArchive)
	}
	begin := zipEntrySize + int(binary.LittleEndian.Uint16(entry[26:])) + int(binary.LittleEndian.Uint16(entry[28:]))
	p.From = p.Entry + int64(begin)
	head := entry[min(begin, len(entry)):]
	head = head[:min(int64(len(head)), p.Bytes)]
	if !p.Packed {
		return head, nil
	}
	plain, _ := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(head)), npy.HeadBytes)) // head is cut off
	return plain, nil
}

// cut returns where the archive has the bytes from … to-1 of the array, or all of them if they are packed.
func (p ArrayPlace) cut(from, to int64) (begin, end int64) {
	switch {
	case p.Packed:
		return p.From, p.From + p.Bytes
	case to < 0:
		to = p.Bytes
	}
	return p.From + min(from, p.Bytes), p.From + min(to, p.Bytes)
}

// unpack returns the bytes from … to-1 of the array, from the bytes of cut. A negative to is the end.
func (p ArrayPlace) unpack(piece []byte, from, to int64) ([]byte, error) {
	if !p.Packed {
		return piece, nil
	}
	in := flate.NewReader(bytes.NewReader(piece))
	if to < 0 {
		to = p.Unpacked + 1 // more than it claims is an error of the array
	}
	if _, err := io.CopyN(io.Discard, in, from); err != nil {
		return nil, unexpected(err)
	}
	plain, err := io.ReadAll(io.LimitReader(in, to-from))
	return plain, unexpected(err)
}

// unexpected turns the end of a file into an error.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
