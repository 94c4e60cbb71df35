package train_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// hung is a file system that never responds to a request to store a file.
type hung struct{ asked chan<- struct{} }

func (hung) Open(context.Context, string) (storage.File, error) { return nil, fs.ErrNotExist }

func (h hung) Put(ctx context.Context, _ string, _ io.Reader, _ int64) error {
	h.asked <- struct{}{}
	<-ctx.Done()
	return context.Cause(ctx)
}

func (hung) CheckWritable(context.Context, string) error { return nil }

func (hung) List(context.Context, string) ([]storage.Entry, error) { return nil, fs.ErrNotExist }

func (hung) Remove(context.Context, string) error { return fs.ErrNotExist }

// TestInterruptedOnHungStorage: the context ends a run whose model can't be stored, and the network is saved on this
// machine.
func TestInterruptedOnHungStorage(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	asked := make(chan struct{}, 8)
	scheme := "hung-" + strings.ToLower(rand.Text()) // one is registered for the life of the process
	storage.Register(scheme, hung{asked})
	ctx, end := context.WithCancel(t.Context())
	defer end()
	go func() {
		<-asked
		end()
	}()
	_, err := train.Fit(ctx, train.Config{Network: network(t, "softmax"), Data: open(t, "digits:test"), Epochs: 2,
		Save: scheme + "://bucket/model.zip", Grace: time.Nanosecond})
	var u *train.UnfinishedError
	if !errors.As(err, &u) || !u.Interrupted {
		t.Fatalf("the error is %v", err)
	}
	_, place, _ := strings.Cut(err.Error(), "the trained network is in ")
	place, _, _ = strings.Cut(place, " instead")
	if !strings.HasPrefix(place, os.TempDir()) {
		t.Fatalf("the network is not on this machine: %v", err)
	}
	net, err := nn.LoadNetwork(t.Context(), place)
	if err != nil || net.Epoch() == 0 {
		t.Errorf("the network of %s: %v", place, err)
	}
}
