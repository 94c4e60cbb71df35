package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func TestLearnsToRead(t *testing.T) {
	var out strings.Builder
	if err := run(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var epoch int
	var score, accuracy float64
	if _, err := fmt.Sscanf(lines[len(lines)-1], "epoch %d: score %f, accuracy %f", &epoch, &score, &accuracy); err != nil {
		t.Fatalf("%q: %v", lines[len(lines)-1], err)
	}
	if epoch != 20 || accuracy < 0.95 {
		t.Errorf("accuracy %v after epoch %d", accuracy, epoch)
	}
}
