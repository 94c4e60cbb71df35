package registry

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

func TestUnknownNames(t *testing.T) {
	table := New[int]("activation")
	if _, err := table.Find("RELU"); err == nil ||
		err.Error() != `unknown activation "RELU": there are none in this program` {
		t.Errorf("of an empty table: %v", err)
	}
	for i, name := range []string{"TANH", "SIGMOID", "RELU"} {
		table.Add(name, i)
	}
	if v, err := table.Find("RELU"); v != 2 || err != nil {
		t.Errorf("RELU is %d, %v", v, err)
	}
	for name, want := range map[string]string{
		"relux":                   `unknown activation "relux": there are RELU, SIGMOID, TANH; did you mean RELU?`,
		"SIGMODI":                 `unknown activation "SIGMODI": there are RELU, SIGMOID, TANH; did you mean SIGMOID?`,
		"warp":                    `unknown activation "warp": there are RELU, SIGMOID, TANH`,
		"":                        `unknown activation "": there are RELU, SIGMOID, TANH`,
		strings.Repeat("é", 1000): `unknown activation "` + strings.Repeat("é", 100) + `…": there are RELU, SIGMOID, TANH`,
	} {
		if _, err := table.Find(name); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", name, err, want)
		}
	}
}

// TestSuggest: a common Java package does not make two class names similar.
func TestSuggest(t *testing.T) {
	known := []string{"org.example.Disc", "org.example.Square", "two"}
	for name, want := range map[string]string{
		"org.example.Sqare":       "; did you mean org.example.Square?",
		"org.exmple.Square":       "; did you mean org.example.Square?",
		"org.example.Cube":        "",
		"org.example.":            "",
		strings.Repeat("x", 1000): "",
	} {
		if got := Suggest(name, known); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func registerTwice(table *Table[int]) {
	table.Add("a", 1)
	table.Add("a", 2)
}

func TestTakenNames(t *testing.T) {
	defer func() {
		text := fmt.Sprint(recover())
		if !strings.HasPrefix(text, `hook "a" is registered twice: at `) || strings.Count(text, "registry_test.go:") != 2 {
			t.Errorf("panics with %s", text)
		}
	}()
	registerTwice(New[int]("hook"))
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	table := New[int]("hook")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			table.Add(fmt.Sprint(i), i)
			if v, ok := table.Get(fmt.Sprint(i)); !ok || v != i {
				t.Errorf("%d is %d, %v", i, v, ok)
			}
			table.Names()
		})
	}
	group.Wait()
	if n := len(table.Names()); n != 8 {
		t.Errorf("%d names", n)
	}
}

// TestSuggestWord: in short words, a larger part of the letters may differ.
func TestSuggestWord(t *testing.T) {
	known := []string{"plain", "averaging", "sc", "--epochs"}
	for word, want := range map[string]string{"plane": "plain", "sparc": "sc", "Averging": "averaging",
		"--epoch": "--epochs", "xyz": "", "": ""} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := SuggestWord(word, known); got != want {
			t.Errorf("%q: %q, not %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"abc", "abc", 0}, {"flaw", "lawn", 2},
		{"slq", "sql", 1}, {"abcd", "badc", 2}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
