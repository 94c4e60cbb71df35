package s3

import (
	"context"
	"io"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// borrowedFile reads parts of an object by the URL of a loan, with a request for each.
type borrowedFile struct {
	*io.SectionReader
	loan storage.Loan
}

// BorrowFile opens an object for reading parts of it. It sends no request.
func (f *FileSystem) BorrowFile(ctx context.Context, l storage.Loan) (storage.File, error) {
	return borrowedFile{io.NewSectionReader(borrowedParts{ctx, f, l}, 0, l.Size), l}, nil
}

// Close does nothing: no request is open.
func (borrowedFile) Close() error { return nil }

// ModTime returns when the object was written.
func (f borrowedFile) ModTime() time.Time { return f.loan.Modified }

// Version is the ETag: [storage.Stamp].
func (f borrowedFile) Version() string { return f.loan.Version }

// borrowedParts requests parts of an object.
type borrowedParts struct {
	ctx  context.Context // of all requests
	from *FileSystem
	loan storage.Loan
}

// ReadAt requests a part.
func (p borrowedParts) ReadAt(to []byte, at int64) (int, error) {
	n := min(int64(len(to)), p.loan.Size-at)
	if n <= 0 {
		return 0, io.EOF
	}
	b := &borrowed{ctx: p.ctx, Loan: p.loan, from: p.from, at: at, end: at + n}
	if err := b.ask(); err != nil {
		return 0, err
	}
	defer b.Close()
	read, err := io.ReadFull(b, to[:n])
	if err == nil && n < int64(len(to)) {
		err = io.EOF
	}
	return read, err
}
