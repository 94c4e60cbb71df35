package resident

import (
	"bytes"
	"encoding/binary"
	"math"
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
)

// over sends bytes or a frame to a reader and returns what it reads.
func over(t *testing.T, send func(c net.Conn) error) (*frame, error) {
	t.Helper()
	here, there := net.Pipe()
	defer there.Close()
	go func() {
		send(here)
		here.Close()
	}()
	return readFrame(there)
}

// TestFrames checks that commands and actions are read as they were written.
func TestFrames(t *testing.T) {
	for _, e := range []coordination.Event{
		coordination.Open{Epoch: 3, Begin: true, Params: []byte{1, 2, 3}, State: nil},
		coordination.Open{Epoch: 4, State: []byte{}},
		coordination.Round{Round: 7, Shares: []uint32{0, 2}, Group: 2, Start: bytes.Repeat([]byte{9}, 3*atOnce+1)},
		coordination.Settle{Group: 8}, coordination.Shut{Reason: "it is over"}, coordination.SaveNow{},
	} {
		f, err := commandOf(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := over(t, f.write)
		if err != nil {
			t.Fatalf("%T: %v", e, err)
		}
		if again := got.event(); !reflect.DeepEqual(again, e) {
			t.Errorf("%T came back as another one", e)
		}
	}
	for _, score := range []float64{0.25, math.NaN(), math.Inf(1)} {
		c := coordination.Committed{Score: score, Entry: &coordination.Entry{Kind: coordination.UpdateEntry,
			Peer: coordination.Peer{Worker: 1, Incarnation: 2}, Seq: 3, Epoch: 4, Partition: 5, Ordinal: 6, Payload: []byte{7}}}
		f, err := over(t, (&frame{Actions: actions{Committed: []committed{commitOf(c)}}}).write)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Actions.Committed[0].action()
		if c.Entry.Payload = nil; !reflect.DeepEqual(got.Entry, c.Entry) {
			t.Errorf("came back as %+v", got.Entry)
		}
		if got.Score != score && !math.IsNaN(got.Score) {
			t.Errorf("the score %v came back as %v", score, got.Score)
		}
	}
	if _, err := commandOf(coordination.Tick{}); err == nil {
		t.Error("a tick is taken for a command")
	}
}

// TestBadFrames checks that invalid frames are refused before memory is allocated for them.
func TestBadFrames(t *testing.T) {
	head := func(json string) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(json))), json...)
	}
	for name, c := range map[string]struct {
		bytes []byte
		want  string
	}{
		"nothing":            {nil, "EOF"},
		"a cut length":       {[]byte{1, 0}, "unexpected EOF"},
		"a cut head":         {head(`{"Stop":"x"}`)[:9], "unexpected EOF"},
		"a long head":        {[]byte{0, 0, 0, 255}, "at most"},
		"no JSON":            {head("GET / HTTP/1.1"), "invalid character"},
		"a cut vector":       {append(head(`{"Vectors":[{"Name":"state","Bytes":1073741824}]}`), 1, 2), "unexpected EOF"},
		"a long vector":      {head(`{"Vectors":[{"Bytes":1099511627776}]}`), "at most"},
		"a negative vector":  {head(`{"Vectors":[{"Bytes":-2}]}`), "a vector of -2 bytes"},
		"an order of no use": {head(`{"Order":7}`), "cannot unmarshal"},
	} {
		_, err := over(t, func(w net.Conn) error {
			_, err := w.Write(c.bytes)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %q", name, err, c.want)
		}
	}
}

// TestServerRefuses checks that the server refuses invalid orders.
func TestServerRefuses(t *testing.T) {
	s := &Server{options: ServerOptions{Jobs: 1}}
	good := order{Transport: Secure.name, MaxMessage: 1 << 20}
	for name, c := range map[string]struct {
		change    func(o *order)
		reference string
		want      string
	}{
		"reference": {func(*order) {}, "nobody's", "unknown reference"},
		"transport": {func(o *order) { o.Transport = "pigeons" }, "none",
			`unknown transport of resident workers "pigeons"`},
		"memory":      {func(o *order) { o.Transport = InMemory.name }, "none", "another transport is needed"},
		"message":     {func(o *order) { o.MaxMessage = 1 << 40 }, "none", "there may be"},
		"config":      {func(o *order) { o.Config.Partitions = -1 }, "none", "Partitions is -1"},
		"many shares": {func(o *order) { o.Config.Partitions = 1 << 30 }, "none", "partitions, there may be"},
	} {
		o := good
		o.Config.Partitions, o.Config.Timing = 2, coordination.DefaultTiming()
		c.change(&o)
		if _, _, err := s.host(&frame{Order: &o, Reference: c.reference}, nil); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, wanted %q", name, err, c.want)
		}
	}
	if s.jobs != 0 {
		t.Errorf("%d jobs are counted that were refused", s.jobs)
	}
}

// TestServerFull checks that an order for which there is no room is refused before anything is made for it.
func TestServerFull(t *testing.T) {
	s := &Server{options: ServerOptions{Jobs: 1}, jobs: 1}
	o := order{Transport: Secure.name, MaxMessage: 1 << 20,
		Config: coordination.Config{Partitions: 2, Timing: coordination.DefaultTiming()}}
	if _, _, err := s.host(&frame{Order: &o, Reference: costly.name}, nil); err == nil ||
		!strings.Contains(err.Error(), "--jobs") {
		t.Errorf("the error is %v", err)
	}
	if s.jobs != 1 {
		t.Errorf("%d jobs are counted", s.jobs)
	}
}

var costly = RegisterReference("resident.costly",
	func([]byte) (Portable, error) { panic("a reference is made for an order that is refused") })
