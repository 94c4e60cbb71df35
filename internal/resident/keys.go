package resident

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dl4go/dl4go/internal/coordination/mesh"
	"github.com/dl4go/dl4go/storage"
)

// Keys tell a driver how to reach a Server, and prove that it may. They are secret.
type Keys struct {
	Address     string           `json:"address"`
	Credentials mesh.Credentials `json:"credentials"`
}

// ReadKeys reads a file that Write wrote.
func ReadKeys(path string) (k Keys, err error) {
	if path, err = storage.Path(path); err != nil {
		return k, err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return k, fmt.Errorf("the keys of a coordinator: %w", err)
	}
	if err := json.Unmarshal(b, &k); err != nil {
		return k, fmt.Errorf("%s does not have the keys that dl4go coordinator writes: %w", path, err)
	}
	if k.Address == "" || len(k.Credentials.Key) == 0 {
		return k, fmt.Errorf("%s does not have the keys that dl4go coordinator writes: address or credentials are missing",
			path)
	}
	return k, nil
}

// Write writes the file, which only this user can read, and replaces an earlier one.
func (k Keys) Write(path string) error {
	b, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
