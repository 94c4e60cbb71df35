package dl4j

import (
	"bytes"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
)

// arrayListStream is the output of Java 17's ObjectOutputStream for new ArrayList(List.of("a", "bé")), followed by the
// first string once more.
const arrayListStream = "aced0005" +
	"737200136a6176612e7574696c2e41727261794c6973747881d21d99c7619d03000149000473697a657870" +
	"00000003" + "770400000003" + "740001617400036" + "2c3a9" + "71007e0002" + "78"

func TestJavaLists(t *testing.T) {
	b, err := hex.DecodeString(arrayListStream)
	if err != nil {
		t.Fatal(err)
	}
	got, err := NewReader(bytes.NewReader(b), int64(len(b))).StringList()
	if want := []string{"a", "bé", "a"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("an ArrayList is read as %q, %v", got, err)
	}
	for _, list := range [][]string{{}, {"meta0", "", "é\x00😀", "\uffff"}, {strings.Repeat("long ", 20_000)}} {
		var out bytes.Buffer
		w := NewWriter(&out)
		w.StringList(list)
		r := NewReader(&out, int64(out.Len()))
		got, err := r.StringList()
		if err != nil || !slices.Equal(got, list) || r.End() != nil {
			t.Errorf("%.40q is read as %.40q, %v", list, got, err)
		}
	}
}

func TestBadJavaLists(t *testing.T) {
	b, _ := hex.DecodeString(arrayListStream)
	other := bytes.Replace(b, []byte("ArrayList"), []byte("ArrayLost"), 1)
	for name, b := range map[string][]byte{"truncated": b[:len(b)-3], "foreign": []byte("abcdefgh"), "class": other} {
		_, err := NewReader(bytes.NewReader(b), int64(len(b))).StringList()
		var f *FormatError
		if !errors.As(err, &f) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
