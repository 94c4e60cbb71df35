package progress

import (
	"fmt"
	"testing"
	"time"
)

// training is the view of a training run, with a screen and a virtual clock.
func training(columns, rows int) (*screen, *Bar, func(time.Duration)) {
	s, now := &screen{columns: columns, rows: rows}, time.Unix(0, 0)
	b := New(s, "epoch 7/20", 1000, Options{Now: func() time.Time { return now },
		Size: func() (int, int) { return s.columns, s.rows }})
	var loss, accuracy Curve
	for _, x := range []float64{8, 6, 4.5, 3, 2.5, 2, 1.5, 1} {
		loss.Add(x)
	}
	for _, x := range []float64{0.1, 0.5, 0.8, 0.75} {
		accuracy.Add(x)
	}
	b.Below(func() []Row {
		return []Row{{Name: "loss", Texts: []string{"1"}, Curve: &loss},
			{Name: "accuracy", Texts: []string{"0.75"}, Mark: "best 0.8 in epoch 3", Brief: "best: epoch 3",
				Curve: &accuracy},
			{Name: "workers", Texts: []string{"3/4 alive", "lag 2", "1,000 updates/s"}}}
	})
	return s, b, func(d time.Duration) { now = now.Add(d) }
}

// TestView: the lines of a terminal in several widths and heights.
func TestView(t *testing.T) {
	for size, want := range map[[2]int]string{
		{80, 24}: "epoch 7/20 [=======             ]  35%  175 examples/s  ETA 0:04\n" +
			"loss      1  █▆▅▃▂▂▁▁\naccuracy  0.75  best 0.8 in epoch 3  ▁▅██\n" +
			"workers   3/4 alive  lag 2  1,000 updates/s\n_",
		{40, 24}: "epoch 7/20 [===        ]  35%  ETA 0:04\n" +
			"loss      1  █▆▅▃▂▂▁▁\naccuracy  0.75  best 0.8 in epoch 3\nworkers   3/4 alive  lag 2\n_",
		{32, 24}: "epoch 7/20  35%  ETA 0:04\n" +
			"loss      1  █▆▅▃▂▂▁▁\naccuracy  0.75  best: epoch 3\nworkers   3/4 alive  lag 2\n_",
		{20, 24}: "epoch 7/20  35%\nloss      1  █▅▃▂▁▁\naccuracy  0.75\nworkers   3/4 alive\n_",
		{6, 24}:  "epoch\nloss\naccur\nworke\n_",
		{80, 3}:  "epoch 7/20 [=======             ]  35%  175 examples/s  ETA 0:04\nloss      1  █▆▅▃▂▂▁▁\n_",
		{0, 0}: "epoch 7/20 [=======             ]  35%  175 examples/s  ETA 0:04\n" +
			"loss      1  █▆▅▃▂▂▁▁\naccuracy  0.75  best 0.8 in epoch 3  ▁▅██\n" +
			"workers   3/4 alive  lag 2  1,000 updates/s\n_",
	} {
		s, b, pass := training(size[0], size[1])
		b.o.Size = func() (int, int) { return size[0], size[1] }
		s.columns = max(s.columns, 1)
		if size[0] == 0 {
			s.columns = usualColumns
		}
		pass(2 * time.Second)
		b.Add(350, "a note that the rows stand for")
		if got := s.text(); got != want {
			t.Errorf("%v: got\n%s\nwant\n%s", size, got, want)
		}
		if b.Clear(); s.text() != "_" || s.colors > 0 {
			t.Errorf("%v: Clear left\n%s\nand %d colours", size, s.text(), s.colors)
		}
	}
}

// TestLinesAboveTheView: printed lines stay above the view, and there is only one view while it is redrawn and
// resized.
func TestLinesAboveTheView(t *testing.T) {
	s, b, pass := training(60, 24)
	pass(time.Second)
	b.Above(func() { fmt.Fprintln(s, "before the view") })
	b.Add(500, "")
	b.Above(func() { fmt.Fprintln(s, "epoch 6/20  score 1") })
	pass(time.Second)
	b.Add(100, "")
	s.resize(24) // narrower than the lines
	pass(time.Second)
	b.Refresh()
	b.Refresh() // too early to draw anything
	const narrow = "before the view\nepoch 6/20  score 1\nepoch 7/20 [===  ]  60%\nloss      1  █▆▅▃▂▂▁▁\n" +
		"accuracy  0.75  ▁▅██\n" +
		"workers   3/4 alive\n_"
	if got := s.text(); got != narrow {
		t.Errorf("got\n%s\nwant\n%s", got, narrow)
	}
	s.resize(60)
	pass(time.Second)
	b.Add(100, "")
	b.Clear()
	if got, want := s.text(), "before the view\nepoch 6/20  score 1\n_"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if b.Refresh(); s.text() != "before the view\nepoch 6/20  score 1\n_" {
		t.Error("Refresh draws a bar that was cleared")
	}
}

// TestColors: with colours, the lines are the same.
func TestColors(t *testing.T) {
	plain, b, pass := training(80, 24)
	pass(time.Second)
	b.Add(500, "")
	colored, b, pass := training(80, 24)
	b.o.Color = true
	pass(time.Second)
	b.Add(500, "")
	if plain.text() != colored.text() || plain.colors != 0 || colored.colors == 0 {
		t.Errorf("%d and %d colours, and\n%s", plain.colors, colored.colors, colored.text())
	}
}

// TestBarAlone: without rows, the note is in the bar's line as long as there is room for it.
func TestBarAlone(t *testing.T) {
	for note, want := range map[string]string{
		"":              "epoch 1/1 [==========          ]  50%  2 examples/s  ETA 0:01\n_",
		"score 1.23456": "epoch 1/1 [=======        ]  50%  2 examples/s  ETA 0:01  score 1.23456\n_",
		"a note that is so long that it gives way itself": "epoch 1/1 [==========          ]  50%  2 examples/s  ETA 0:01\n_",
	} {
		s, now := &screen{columns: 72, rows: 24}, time.Unix(0, 0)
		b := New(s, "epoch 1/1", 4, Options{Now: func() time.Time { return now }, Size: func() (int, int) { return 72, 24 }})
		now = now.Add(time.Second)
		b.Add(2, note)
		if got := s.text(); got != want {
			t.Errorf("%q: drew\n%s\nwant\n%s", note, got, want)
		}
	}
}
