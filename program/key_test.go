package program

import "testing"

// TestGoldenStream has the value that every later version must return: saved runs depend on it.
func TestGoldenStream(t *testing.T) {
	if got := (Key{Seed: 1, Epoch: 2, Example: 3}).Stream(4); got != 0xb623b1b8a3efff24 {
		t.Errorf("stream = %#x", got)
	}
}

func TestKeyFieldsAllMatter(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(4) {
		for epoch := range uint64(4) {
			for example := range uint64(4) {
				for layer := range uint64(4) {
					s := Key{seed, epoch, example}.Stream(layer)
					if other, ok := seen[s]; ok {
						t.Fatalf("key %d %d %d %d gives the stream of %s", seed, epoch, example, layer, other)
					}
					seen[s] = "another key"
				}
			}
		}
	}
}
