package worker

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

var framings = []Framing{Text, Binary}

// someRows returns rows of all sizes. Some are so large that they are sent in pieces.
func someRows(seed uint64, n int) []engine.Row {
	source := rand.NewChaCha8([32]byte{byte(seed)})
	r := rand.New(source)
	rows := make([]engine.Row, n)
	for i := range rows {
		b := make([]byte, []int{0, 1, 3, 100, 20000, 3 * textPiece}[min(r.IntN(80)/15, 5)]+r.IntN(3))
		source.Read(b)
		rows[i] = engine.Row{Index: r.Int64() - 1<<62, Bytes: b}
	}
	return rows
}

func same(a, b []engine.Row) bool {
	return slices.EqualFunc(a, b, func(a, b engine.Row) bool {
		return a.Index == b.Index &&
			bytes.Equal(a.Bytes, b.Bytes)
	})
}

// output returns the output of a healthy worker.
func output(f Framing, partition, attempt int, rows []engine.Row) []byte {
	var b bytes.Buffer
	s := NewSender(&b, f)
	s.Begin(partition, attempt)
	for i, row := range rows {
		s.Write(row)
		if i%7 == 3 {
			s.Alive()
		}
	}
	s.Commit()
	return b.Bytes()
}

// readOutput reads the rows of an attempt up to the commit.
func readOutput(f Framing, b []byte, partition, attempt int) (rows []engine.Row, err error) {
	in := NewReceiver(bytes.NewReader(b), f)
	v := NewVerifier(partition, attempt)
	for {
		r, err := in.Next()
		if _, committed := v.Committed(); committed && err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, v.End(err)
		}
		r, ok, err := v.Add(r)
		if err != nil {
			return rows, err
		}
		if ok && r.Kind == Row {
			rows = append(rows, engine.Row{Index: r.Index, Bytes: r.Data})
		}
	}
}

func TestRowsArrive(t *testing.T) {
	for _, f := range framings {
		for seed := range uint64(3) {
			rows := someRows(seed, 40)
			got, err := readOutput(f, output(f, 3, 2, rows), 3, 2)
			if err != nil || !same(got, rows) {
				t.Errorf("%s: %d rows, wanted %d, or they differ; error %v", f.Protocol(), len(got), len(rows), err)
			}
		}
	}
}

// TestText compares the lines with the documentation.
func TestText(t *testing.T) {
	rows := []engine.Row{{Index: -1, Bytes: []byte("a\tb\n")}, {Index: 7}}
	want := "3\t2\t0\tr\t-1\tYQliCg==\n" + "3\t2\t1\tr\t7\t-\n" + "3\t2\t2\tc\t0\t"
	if got := string(output(Text, 3, 2, rows)); !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 3 {
		t.Errorf("%q, wanted %q…", got, want)
	}
}

func TestLine(t *testing.T) {
	r, err := new(Lines).Parse([]byte("3\t2\t5\tr\t-1\tYQliCg=="))
	want := Record{3, 2, 5, Row, -1, []byte("a\tb\n")}
	if err != nil || fmt.Sprint(r) != fmt.Sprint(want) {
		t.Errorf("%v, error %v; wanted %v", r, err, want)
	}
	for _, line := range []string{
		"3 2 5 r -1", "3 2 5 r -1 ", " 2 5 r -1 -", "3 2 5 x -1 -", "3 2 5 rr -1 -", "3 2 9223372036854775808 r -1 -",
		"3 2 5 r +1 -", "3 2 5 r -1 !", "3 2 5 r -1 YQ", "3 2 5 r -1 - -", "",
	} {
		var wrong *FramingError
		if _, err := new(Lines).Parse([]byte(strings.ReplaceAll(line, " ", "\t"))); !errors.As(err, &wrong) {
			t.Errorf("%q gives the error %v, wanted a FramingError", line, err)
		}
	}
}

// TestDamage checks that every damage is noticed and named.
func TestDamage(t *testing.T) {
	rows := someRows(9, 6)
	for _, f := range framings {
		good := records(t, f, output(f, 3, 2, rows))
		drop := func(i int) []Record { return slices.Delete(slices.Clone(good), i, i+1) }
		twice := func(i int) []Record { return slices.Insert(slices.Clone(good), i, good[i]) }
		change := func(i int, how func(r *Record)) []Record {
			changed := slices.Clone(good)
			how(&changed[i])
			return changed
		}
		renumbered := drop(2)
		for i := range renumbered {
			renumbered[i].Seq = int64(i)
		}
		for name, c := range map[string]struct {
			records []Record
			want    error
		}{
			"no records":             {nil, ErrNoCommit},
			"no commit":              {good[:len(good)-1], ErrNoCommit},
			"a record missing":       {drop(2), ErrSequence},
			"a record twice":         {twice(2), ErrSequence},
			"the first one missing":  {drop(0), ErrSequence},
			"missing and renumbered": {renumbered, ErrCommit},
			"another index":          {change(1, func(r *Record) { r.Index++ }), ErrCommit},
			"other bytes":            {change(1, func(r *Record) { r.Data = append([]byte("x"), r.Data...) }), ErrCommit},
			"another partition":      {change(1, func(r *Record) { r.Partition++ }), ErrForeign},
			"another attempt":        {change(1, func(r *Record) { r.Attempt++ }), ErrForeign},
			"the commit twice":       {twice(len(good) - 1), ErrAfterEnd},
			"a commit that is none":  {change(len(good)-1, func(r *Record) { r.Data = []byte("{") }), ErrCommit},
		} {
			var b []byte
			for _, r := range c.records {
				b = f.appendRecord(b, &r)
			}
			_, err := readOutput(f, b, 3, 2)
			var wrong *OutputError
			if !errors.Is(err, c.want) || !errors.As(err, &wrong) || wrong.Partition != 3 || wrong.Attempt != 2 {
				t.Errorf("%s, %s: %v, wanted %v", f.Protocol(), name, err, c.want)
			}
		}
		for name, garbage := range map[string]string{"a print": "hello, world\n", "an empty line": "\n",
			"zeros": string(make([]byte, 99))} {
			b := slices.Concat(f.appendRecord(nil, &good[0]), []byte(garbage), f.appendRecord(nil, &good[1]))
			_, err := readOutput(f, b, 3, 2)
			if wrong := (*FramingError)(nil); !errors.As(err, &wrong) {
				t.Errorf("%s, %s between the records: %v, wanted a FramingError", f.Protocol(), name, err)
			}
		}
	}
}

func records(t *testing.T, f Framing, b []byte) []Record {
	t.Helper()
	in := NewReceiver(bytes.NewReader(b), f)
	var all []Record
	for {
		r, err := in.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if r.Kind != Alive {
			all = append(all, r)
		}
	}
}

// TestCut cuts an output at every byte.
func TestCut(t *testing.T) {
	rows := []engine.Row{{Index: 1, Bytes: []byte("one")}, {Index: 2}, {Index: 3, Bytes: []byte("three")}}
	for _, f := range framings {
		b := output(f, 0, 1, rows)
		for n := range b {
			if _, err := readOutput(f, b[:n], 0, 1); err == nil {
				t.Errorf("%s: %d of %d bytes are taken for all", f.Protocol(), n, len(b))
			}
		}
	}
}

func TestLongLine(t *testing.T) {
	var wrong *FramingError
	endless := io.LimitReader(repeat('x'), 1<<40)
	if _, err := NewReceiver(endless, Text).Next(); !errors.As(err, &wrong) {
		t.Errorf("a line without an end: %v", err)
	}
}

type repeat byte

func (r repeat) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(r)
	}
	return len(b), nil
}

func FuzzText(f *testing.F)   { fuzz(f, Text) }
func FuzzBinary(f *testing.F) { fuzz(f, Binary) }

// fuzz checks that any records that can be read are written as the same records, and that nothing panics.
func fuzz(f *testing.F, framing Framing) {
	f.Add(output(framing, 3, 2, someRows(4, 5)[:2]))
	f.Add([]byte("3\t2\t0\tr\t-1\t-\n"))
	f.Add([]byte{binaryMark, 'r', 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		in, v := NewReceiver(bytes.NewReader(b), framing), NewVerifier(3, 2)
		for {
			r, err := in.Next()
			if err != nil {
				break
			}
			again, err := framing.read(bufio.NewReader(bytes.NewReader(framing.appendRecord(nil, &r))), &slab{})
			if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
				t.Fatalf("%v is read back as %v, error %v", r, again, err)
			}
			v.Add(r)
		}
	})
}

func BenchmarkFraming(b *testing.B) {
	for _, f := range framings {
		for _, size := range []int{100, 3152, 1 << 20} {
			rows := make([]engine.Row, 8<<20/size)
			for i := range rows {
				rows[i] = engine.Row{Index: int64(i), Bytes: bytes.Repeat([]byte{byte(i), 3, 7, 11}, size/4)}
			}
			bytesOut := output(f, 0, 1, rows)
			b.Run(fmt.Sprintf("%s/send/%d", f.Protocol(), size), func(b *testing.B) {
				b.SetBytes(int64(size * len(rows)))
				s := NewSender(io.Discard, f)
				for range b.N {
					s.Begin(0, 1)
					for _, row := range rows {
						s.Write(row)
					}
					s.Commit()
				}
			})
			b.Run(fmt.Sprintf("%s/receive/%d", f.Protocol(), size), func(b *testing.B) {
				b.SetBytes(int64(size * len(rows)))
				for range b.N {
					if got, err := readOutput(f, bytesOut, 0, 1); err != nil || len(got) != len(rows) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestLinesShareMemory checks that a record of a few bytes takes about that much memory.
func TestLinesShareMemory(t *testing.T) {
	line := []byte("3\t2\t5\tr\t-1\tYQliCg==")
	var lines Lines
	const n = 10_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		if _, err := lines.Parse(line); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / n; each > 1000 {
		t.Errorf("a line of %d bytes takes %d", len(line), each)
	}
}
