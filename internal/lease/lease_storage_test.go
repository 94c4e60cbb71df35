//go:build storage

package lease

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
	_ "github.com/dl4go/dl4go/storage/hdfs"
	_ "github.com/dl4go/dl4go/storage/s3"
)

// TestURLs uses real servers. Of many processes that ask at once, one gets the lease. A live owner keeps it. A dead
// owner loses it to one other process.
func TestURLs(t *testing.T) {
	some := false
	for scheme, variable := range map[string]string{"s3": "DL4GO_S3", "hdfs": "DL4GO_HDFS"} {
		root := os.Getenv(variable)
		if root == "" {
			continue
		}
		some = true
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			dir := storage.Join(root, fmt.Sprintf("lease-%08x", rand.Uint32()))
			if err := storage.MkdirAll(context.Background(), dir); err != nil {
				t.Fatal(err)
			}
			var before *watched
			for round := range 2 {
				l := oneHas(t, dir)
				if l.Token() != int64(round+1) {
					t.Errorf("the token is %d", l.Token())
				}
				if before != nil {
					if err := before.Verify(context.Background()); !errors.Is(err, ErrLost) ||
						strings.Contains(err.Error(), "removed") {
						t.Errorf("it has lost it: %v", err)
					}
				}
				if err := l.Verify(context.Background()); err != nil {
					t.Error(err)
				}
				l.die()
				before = l
			}
			// After an owner has released the lease, nothing waits.
			l := oneHas(t, dir)
			if err := l.Release(context.Background()); err != nil {
				t.Fatal(err)
			}
			next, err := Take(t.Context(), dir,
				Options{Period: time.Hour, Waiting: func(o Owner, _ time.Duration) { t.Errorf("it waits for %v", o) }})
			if err != nil {
				t.Fatal(err)
			}
			if err := next.Release(context.Background()); err != nil {
				t.Error(err)
			}
			if files, err := storage.List(context.Background(), dir); err != nil || len(files) != 1 {
				t.Errorf("there are %v, %v", files, err)
			}
		})
	}
	if !some {
		t.Error("there are no URLs: make test-storage")
	}
}

// oneHas has four processes ask at once. The period is long enough for the owner to be seen alive on a busy machine.
func oneHas(t *testing.T, dir string) (has *watched) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	for range 4 {
		all.Go(func() {
			l, err := watch(t.Context(), dir, Options{Period: 10 * time.Second})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && has == nil:
				has = l
			case err == nil:
				t.Error("two have it")
			case !errors.Is(err, ErrInUse) || strings.Contains(err.Error(), "\n"):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if has == nil {
		t.Fatal("nobody has it")
	}
	return has
}
