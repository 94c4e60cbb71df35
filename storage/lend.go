package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
)

// Lender is a FileSystem that can lend files to another process. That process runs a program with the same file system,
// but needs neither the settings nor the credentials of this process. A Lender may also be a [PartLender].
type Lender interface {
	// Lend returns a loan of each file. It is valid for d, or less if credentials end before.
	Lend(ctx context.Context, urls []string, d time.Duration) ([]Loan, error)
	// Borrow opens a lent file. The result reads the whole file, or fails. The error is [ErrLapsed] if a new loan of the
	// file may help. The context also governs the reads.
	Borrow(ctx context.Context, l Loan) (io.ReadCloser, error)
}

// PartLender is a [Lender] whose lent files can be read in parts.
type PartLender interface {
	// BorrowFile is Borrow for reading any parts of the file.
	BorrowFile(ctx context.Context, l Loan) (File, error)
}

// Loan has everything that [Borrow] needs to read one file.
type Loan struct {
	URL string
	// Size and Modified are the file's. Size is -1 if the file was not looked up; then the caller of Lend fills both
	// in.
	Size     int64
	Modified time.Time `json:",omitzero"`
	Version  string    `json:",omitempty"` // distinguishes versions of the file
	// Terms are what the file system needs to open the file. If Secret is true, anybody who knows them can read the file
	// until Until.
	Terms  string
	Secret bool      `json:",omitempty"`
	Until  time.Time `json:",omitzero"` // zero: no limit
}

// ErrLapsed says that a loan is no longer valid: it has expired, or the file has changed.
var ErrLapsed = errors.New("the file can't be read as it was lent")

// Lend lends files whose URLs have the same scheme.
func Lend(ctx context.Context, urls []string, d time.Duration) ([]Loan, error) {
	if len(urls) == 0 {
		return nil, nil
	}
	l, err := lender(urls[0])
	if err != nil {
		return nil, err
	}
	return l.Lend(ctx, urls, d)
}

// Borrow opens a lent file.
func Borrow(ctx context.Context, l Loan) (io.ReadCloser, error) {
	from, err := lender(l.URL)
	if err != nil {
		return nil, err
	}
	return from.Borrow(ctx, l)
}

// BorrowFile opens a lent file whose parts are read in any order. If the file system does not read parts, the file is
// loaded.
func BorrowFile(ctx context.Context, l Loan) (File, error) {
	from, err := lender(l.URL)
	if err != nil {
		return nil, err
	}
	if parts, ok := from.(PartLender); ok {
		return parts.BorrowFile(ctx, l)
	}
	in, err := from.Borrow(ctx, l)
	if err != nil {
		return nil, err
	}
	if f, ok := in.(File); ok {
		return f, nil
	}
	defer in.Close()
	if err := checkup.Fits(l.Size); err != nil {
		return nil, fmt.Errorf("%s: %w", l.URL, err)
	}
	b := make([]byte, l.Size)
	_, err = io.ReadFull(in, b)
	return loaded{bytes.NewReader(b), l.Modified}, err
}

// loaded is a file in memory.
type loaded struct {
	*bytes.Reader
	modified time.Time
}

func (loaded) Close() error { return nil }

func (l loaded) ModTime() time.Time { return l.modified }

func lender(url string) (Lender, error) {
	r, url, err := remote(url)
	if err != nil {
		return nil, err
	}
	if l, ok := r.(Lender); ok {
		return l, nil
	}
	return nil, fmt.Errorf("%s: its file system lends no files: %w", url, errors.ErrUnsupported)
}
