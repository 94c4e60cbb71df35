// Package keras reads models saved by Keras: .keras files of Keras 3 and 2, and HDF5 files (.h5) of Keras 3, 2 and
// 2.2. The result is a network of package nn with Keras' weights, loss, optimizer and optimizer state, so that
// training continues with Keras' own numbers. Its inputs and outputs have Keras' layout: [batch, time, features],
// [batch, height, width, channels].
//
// Files are data. No code in them is run, and names are looked up in a fixed table. docs/keras.md lists what can be
// read.
package keras

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// Import reads a model file, by path or URL. The network's Notices list the differences from the file. Errors about
// the content are dl4j.FormatErrors; they name the file, and the layer or the array.
func Import(ctx context.Context, path string) (*nn.Network, error) {
	f, err := storage.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	net, err := Read(f, f.Size())
	return net, dl4j.In(err, path, "")
}

// Read is Import from memory or any other reader.
func Read(r io.ReaderAt, size int64) (net *nn.Network, err error) {
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case stop:
			net, err = nil, formatError("", stopped.err)
		default:
			panic(stopped)
		}
	}()
	a, err := openArchive(r, size)
	if err != nil {
		return nil, err
	}
	return a.network()
}

// Is reports whether a file with this beginning may be a model of Keras.
func Is(head []byte) bool {
	return len(head) >= 4 && string(head[:4]) == "\x89HDF" || len(head) > 30 && string(head[:4]) == "PK\x03\x04" &&
		isMember(head)
}

// stop is the panic that ends an import, within this package.
type stop struct{ err error }

// refuse ends an import.
func refuse(format string, args ...any) {
	panic(stop{fmt.Errorf(format, args...)})
}

// must ends an import if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(stop{err})
	}
	return v
}

// formatError is an error about the content of an entry.
func formatError(entry string, err error) error {
	var f *dl4j.FormatError
	if err == nil || errors.As(err, &f) {
		return err
	}
	return &dl4j.FormatError{Entry: entry, Offset: -1, Err: err}
}
