//go:build storage

package hdfs

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/storage"
)

// TestUsersOfOneProcess: each registered file system has a user of its own, whatever the environment says.
func TestUsersOfOneProcess(t *testing.T) {
	dir := home(t)
	mini(t, "mkdir", nil, "path", pathOf(t, dir)+"/shared", "mode", "777", "owner", "alice")
	_, rest, _ := strings.Cut(dir+"/shared", "://")
	for _, user := range []string{"bob", "carol"} {
		scheme := fmt.Sprintf("of-%s-%08x", user, rand.Uint32())
		storage.Register(scheme, New(Options{User: user}))
		url := scheme + "://" + rest + "/" + user
		if err := storage.WriteFile(context.Background(), url, func(w io.Writer) error {
			_, err := io.WriteString(w, user)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if b, err := storage.ReadFile(context.Background(), url); err != nil || string(b) != user {
			t.Errorf("%s: %q, %v", url, b, err)
		}
		if got := mini(t, "stat", nil, "path", pathOf(t, url)); !strings.HasPrefix(got, user+" ") {
			t.Errorf("the file of %s is %s", user, got)
		}
	}
}
