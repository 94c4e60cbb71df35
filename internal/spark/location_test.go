package spark

import (
	"strings"
	"testing"
)

func TestLocations(t *testing.T) {
	for path, want := range map[string]location{
		"/data/a b":                {"", "", "/data/a b"},
		"data//x/":                 {"", "", "data/x"},
		"file:///tmp/a%20b":        {"file", "", "/tmp/a%20b"},
		"file:/tmp/../x":           {"file", "", "/x"},
		"hdfs://nn:8020/x/é":       {"hdfs", "nn:8020", "/x/é"},
		"s3a://bucket":             {"s3a", "bucket", "/"},
		"S3A://bucket/":            {"s3a", "bucket", "/"},
		"abfss://c@a.example.net/": {"abfss", "c@a.example.net", "/"},
		"/a:b":                     {"", "", "/a:b"},
	} {
		if got := parsePath(path); got != want {
			t.Errorf("%s is %#v, wanted %#v", path, got, want)
		}
	}
	for url, want := range map[string]string{
		"file:///tmp/a%20b%25%7Bc": "file:/tmp/a b%{c", "hdfs://nn/x/é+1": "hdfs://nn/x/é+1",
	} {
		if got := parseURL(url).String(); got != want {
			t.Errorf("%s is printed as %s, wanted %s", url, got, want)
		}
	}
	if l := parsePath("data/x"); !l.names("/user/me/data/x") || l.names("/user/me/mydata/x") ||
		!parsePath("/x").names("/x") {
		t.Error("a relative path stands for another")
	}
	if a := parsePath("/x"); !a.same(parsePath("hdfs://nn/x")) || parsePath("s3a://a/x").same(parsePath("s3a://b/x")) ||
		a.same(parsePath("/y")) {
		t.Error("places are compared wrongly")
	}
}

// TestLiteral checks that no character of a directory's name has a meaning in SQL.
func TestLiteral(t *testing.T) {
	if got, want := literal(`s3a://b/x') --\u0027;"é😀`),
		`'s3a://b/x\u0027\u0029\u0020--\u005cu0027\u003b\u0022\u00e9\ud83d\ude00'`; got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	for c := range rune(0x300) {
		inner := strings.Trim(literal(string(c)), "'")
		if inner != string(c) && inner[0] != '\\' || strings.ContainsAny(inner, "'\"\n;*$") {
			t.Errorf("character %d is written as %s", c, inner)
		}
	}
}

func TestCheckDir(t *testing.T) {
	for dir, ok := range map[string]bool{"": true, "/x": true, "hdfs://nn/x y": true, "s3a://bucket": true, "x": false,
		"file:x": false, "/x/*": false, "/x{1}": false} {
		if err := checkDir(dir); (err == nil) != ok {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
