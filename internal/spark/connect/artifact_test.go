package connect

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// store accepts artifacts as a server does.
type store struct {
	files    map[string][]byte
	requests []string
}

func (st *store) take(c *fakeCall) error {
	answer := new(protocol.AddArtifactsResponse)
	check := func(name string, chunk *protocol.AddArtifactsRequest_ArtifactChunk) error {
		if int64(crc32.ChecksumIEEE(chunk.Data)) != chunk.Crc {
			return fmt.Errorf("checksum of %s", name)
		}
		st.files[name] = append(st.files[name], chunk.Data...)
		return nil
	}
	name, left, bytesLeft := "", int64(0), int64(0)
	for {
		r := new(protocol.AddArtifactsRequest)
		if err := c.stream.RecvMsg(r); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if r.SessionId == "" {
			return errors.New("no session")
		}
		var chunk *protocol.AddArtifactsRequest_ArtifactChunk
		switch p := r.Payload.(type) {
		case *protocol.AddArtifactsRequest_Batch_:
			st.requests = append(st.requests, fmt.Sprint("batch of ", len(p.Batch.Artifacts)))
			for _, a := range p.Batch.Artifacts {
				if err := check(a.Name, a.Data); err != nil {
					return err
				}
				answer.Artifacts = append(answer.Artifacts, &protocol.AddArtifactsResponse_ArtifactSummary{Name: a.Name,
					IsCrcSuccessful: true})
			}
			continue
		case *protocol.AddArtifactsRequest_BeginChunk:
			name, left, bytesLeft, chunk = p.BeginChunk.Name, p.BeginChunk.NumChunks, p.BeginChunk.TotalBytes,
				p.BeginChunk.InitialChunk
			st.requests = append(st.requests, fmt.Sprint(left, " chunks"))
		case *protocol.AddArtifactsRequest_Chunk:
			chunk = p.Chunk
		}
		if err := check(name, chunk); err != nil {
			return err
		}
		if left, bytesLeft = left-1, bytesLeft-int64(len(chunk.Data)); left == 0 {
			answer.Artifacts = append(answer.Artifacts, &protocol.AddArtifactsResponse_ArtifactSummary{Name: name,
				IsCrcSuccessful: bytesLeft == 0})
		}
	}
	return c.send(answer)
}

func TestArtifacts(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	st := &store{files: make(map[string][]byte)}
	f.on("AddArtifacts", func(c *fakeCall) error {
		if c.n == 0 {
			c.stream.RecvMsg(new(protocol.AddArtifactsRequest))
			return unavailable
		}
		return st.take(c)
	})
	path := filepath.Join(t.TempDir(), "large")
	large := bytes.Repeat([]byte("0123456789"), (3*chunkSize+1000)/10)
	os.WriteFile(path, large, 0o600)
	file, err := ArtifactFile("files/large", path)
	if err != nil {
		t.Fatal(err)
	}
	all := []Artifact{ArtifactBytes("files/a", []byte("a")), ArtifactBytes("files/empty", nil), file,
		ArtifactBytes("files/exact", large[:chunkSize]), ArtifactBytes("files/b", []byte("b"))}
	if err := s.AddArtifacts(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{"files/a": []byte("a"), "files/empty": nil, "files/large": large,
		"files/exact": large[:chunkSize], "files/b": []byte("b")} {
		if !bytes.Equal(st.files[name], want) {
			t.Errorf("%s has %d bytes, wanted %d", name, len(st.files[name]), len(want))
		}
	}
	if got := strings.Join(st.requests, ", "); got != "batch of 2, 4 chunks, batch of 1, batch of 1" {
		t.Errorf("requests: %s", got)
	}
	// Artifacts are not sent twice.
	if err := s.AddArtifacts(t.Context(), append(all, ArtifactBytes("files/c", []byte("c")))...); err != nil {
		t.Fatal(err)
	}
	if got := st.requests[len(st.requests)-1]; got != "batch of 1" {
		t.Errorf("the second time: %s", got)
	}
	if err := s.AddArtifacts(t.Context(), all...); err != nil || len(f.requests("AddArtifacts")) != 3 {
		t.Errorf("%d requests, %v", len(f.requests("AddArtifacts")), err)
	}
}

func TestArtifactsThatFail(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	damaged := func(c *fakeCall) error {
		return c.send(&protocol.AddArtifactsResponse{
			Artifacts: []*protocol.AddArtifactsResponse_ArtifactSummary{{Name: "files/x"}}})
	}
	short := ArtifactBytes("files/x", []byte("xyz"))
	short.Size = 100_000
	for name, c := range map[string]struct {
		artifact Artifact
		handle   func(*fakeCall) error
		part     string
	}{
		"damaged": {ArtifactBytes("files/x", []byte("x")), damaged, "damaged on its way"},
		"ignored": {ArtifactBytes("files/x", []byte("x")),
			func(c *fakeCall) error { return c.send(new(protocol.AddArtifactsResponse)) }, "does not say"},
		"refused": {ArtifactBytes("files/x", make([]byte, 1<<20)),
			func(*fakeCall) error { return status.Error(codes.PermissionDenied, "no artifacts") }, "no artifacts"},
		"changed":  {short, damaged, "less than the 100000 bytes"},
		"named":    {ArtifactBytes("x", nil), damaged, "relative path"},
		"escaping": {ArtifactBytes("files/../x", nil), damaged, "relative path"},
	} {
		t.Run(name, func(t *testing.T) {
			f.on("AddArtifacts", c.handle)
			err := s.AddArtifacts(t.Context(), c.artifact)
			if err == nil || !strings.Contains(err.Error(), c.part) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestUploaded checks that a session knows how many bytes of its rows the server has.
func TestUploaded(t *testing.T) {
	f := startFake(t)
	s := f.open(t, quick())
	st := &store{files: make(map[string][]byte)}
	f.on("AddArtifacts", st.take)
	for n := range 3 {
		if _, err := s.Upload(t.Context(), &arrow.Batch{Rows: 1,
			Schema:  arrow.Schema{{Name: "v", Type: arrow.Of(arrow.Int64)}},
			Columns: []arrow.Column{arrow.Int64s([]int64{int64(n)})}}); err != nil {
			t.Fatal(err)
		}
	}
	want := int64(0)
	for _, b := range st.files {
		want += int64(len(b))
	}
	if got := s.Uploaded(); got != want || want == 0 {
		t.Errorf("%d bytes were uploaded, the server has %d", got, want)
	}
}
