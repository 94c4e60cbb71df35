package connect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// artifacts sends files and rows that the session keeps.
type artifacts struct {
	*link

	mu       sync.Mutex
	sent     map[string]bool // artifacts, by name
	uploaded int64           // bytes of relations that the server keeps until the session's end
}

// Artifact is a file for the session's tasks. Each executor fetches it once, and tasks find it in their working
// directory's sub-folder for the session. Its name begins with its kind, AsFile or AsJar.
type Artifact struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error)
}

// Kinds of artifacts. The server keeps a copy of each AsFile artifact until the server itself ends. It keeps no AsJar
// artifact after the session, but each query searches them for classes.
const (
	AsFile = "files/"
	AsJar  = "jars/"
)

// ArtifactBytes is an artifact in memory.
func ArtifactBytes(name string, b []byte) Artifact {
	return Artifact{name, int64(len(b)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

// ArtifactFile is an artifact that is a file of this machine.
func ArtifactFile(name, path string) (Artifact, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Artifact{}, err
	}
	return Artifact{name, info.Size(), func() (io.ReadCloser, error) { return os.Open(path) }}, nil
}

// chunkSize is how much of an artifact travels in one message: servers and proxies are made for small ones, and each
// costs some work.
const chunkSize = 256 << 10

// AddArtifacts sends the artifacts that this session has not sent yet. A name that was sent can't get other contents:
// name artifacts by their contents' hash.
func (s *artifacts) AddArtifacts(ctx context.Context, artifacts ...Artifact) error {
	var send []Artifact
	size := int64(0)
	s.mu.Lock()
	for _, a := range artifacts {
		if !s.sent[a.Name] {
			send = append(send, a)
			size += a.Size
		}
	}
	s.mu.Unlock()
	if len(send) == 0 {
		return nil
	}
	for _, a := range send {
		if kind, name, ok := strings.Cut(a.Name, "/"); !ok || kind == "" || name == "" || strings.Contains(name, "..") {
			return fmt.Errorf("an artifact's name is a kind and a relative path, such as files/worker; not %q", a.Name)
		}
	}
	limit := s.options.CallTimeout + time.Duration(size>>20)*time.Second
	limited, cancel := context.WithTimeoutCause(s.headers(ctx), limit, errDeadline)
	defer cancel()
	what := "take the artifact " + send[0].Name
	if n := len(send); n > 1 {
		what += fmt.Sprintf(" and %d more", n-1)
	}
	if err := s.retrying(limited, what, func() error { return s.sendArtifacts(limited, send) }); err != nil {
		settle(limited, err)
		return s.explain(ctx, limited, "AddArtifacts got no answer", what, "", limit, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range send {
		s.sent[a.Name] = true
	}
	return nil
}

func (s *artifacts) sendArtifacts(ctx context.Context, artifacts []Artifact) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.conn.NewStream(ctx, &grpc.StreamDesc{StreamName: "AddArtifacts", ClientStreams: true},
		service+"AddArtifacts")
	if err != nil {
		return err
	}
	sender := artifactSender{s: s, stream: stream, user: s.user(), client: s.client(), observed: s.observed(),
		buf: make([]byte, chunkSize)}
	if err := sender.all(artifacts); err != nil && err != io.EOF { // io.EOF: the answer says why
		return err
	}
	answer := new(protocol.AddArtifactsResponse)
	if err := stream.CloseSend(); err != nil {
		return err
	}
	if err := stream.RecvMsg(answer); err != nil {
		return err
	}
	if err := s.check(answer.SessionId, answer.ServerSideSessionId); err != nil {
		return err
	}
	arrived := make(map[string]bool)
	for _, summary := range answer.Artifacts {
		if !summary.IsCrcSuccessful {
			return fmt.Errorf("%s was damaged on its way to the server: its checksum is another there", summary.Name)
		}
		arrived[summary.Name] = true
	}
	for _, a := range artifacts {
		if !arrived[a.Name] {
			return fmt.Errorf("the server does not say that %s arrived", a.Name)
		}
	}
	return nil
}

// artifactSender joins small artifacts in one message, and splits large ones into many.
type artifactSender struct {
	s         *artifacts
	stream    grpc.ClientStream
	user      *protocol.UserContext
	client    *string
	observed  *string
	buf       []byte
	batch     []*protocol.AddArtifactsRequest_SingleChunkArtifact
	batchSize int64
}

func (a *artifactSender) all(artifacts []Artifact) error {
	for _, artifact := range artifacts {
		if err := a.one(artifact); err != nil {
			return err
		}
	}
	return a.flush()
}

func (a *artifactSender) one(artifact Artifact) error {
	if a.batchSize+artifact.Size > chunkSize {
		if err := a.flush(); err != nil {
			return err
		}
	}
	r, err := artifact.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if artifact.Size <= chunkSize {
		b := make([]byte, artifact.Size)
		if _, err := io.ReadFull(r, b); err != nil {
			return changed(artifact, err)
		}
		a.batch = append(a.batch, &protocol.AddArtifactsRequest_SingleChunkArtifact{Name: artifact.Name, Data: chunk(b)})
		a.batchSize += artifact.Size
		return nil
	}
	for left := artifact.Size; left > 0; {
		b := a.buf[:min(left, chunkSize)]
		if _, err := io.ReadFull(r, b); err != nil {
			return changed(artifact, err)
		}
		request := new(protocol.AddArtifactsRequest)
		if left == artifact.Size {
			request.Payload = &protocol.AddArtifactsRequest_BeginChunk{
				BeginChunk: &protocol.AddArtifactsRequest_BeginChunkedArtifact{Name: artifact.Name, TotalBytes: artifact.Size,
					NumChunks: (artifact.Size + chunkSize - 1) / chunkSize, InitialChunk: chunk(b)}}
		} else {
			request.Payload = &protocol.AddArtifactsRequest_Chunk{Chunk: chunk(b)}
		}
		if err := a.send(request); err != nil {
			return err
		}
		left -= int64(len(b))
	}
	return nil
}

func changed(a Artifact, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("artifact %s has less than the %d bytes that it had", a.Name, a.Size)
	}
	return fmt.Errorf("artifact %s: %v", a.Name, err)
}

func chunk(b []byte) *protocol.AddArtifactsRequest_ArtifactChunk {
	return &protocol.AddArtifactsRequest_ArtifactChunk{Data: b, Crc: int64(crc32.ChecksumIEEE(b))}
}

func (a *artifactSender) flush() error {
	if len(a.batch) == 0 {
		return nil
	}
	err := a.send(&protocol.AddArtifactsRequest{Payload: &protocol.AddArtifactsRequest_Batch_{
		Batch: &protocol.AddArtifactsRequest_Batch{Artifacts: a.batch}}})
	a.batch, a.batchSize = nil, 0
	return err
}

func (a *artifactSender) send(r *protocol.AddArtifactsRequest) error {
	r.SessionId, r.UserContext, r.ClientType = a.s.id, a.user, a.client
	r.ClientObservedServerSideSessionId = a.observed
	return a.stream.SendMsg(r)
}

// Uploaded returns the bytes of the relations given to Upload. The server keeps them until the session's end.
func (s *artifacts) Uploaded() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uploaded
}

// Upload sends rows to the server once, as an artifact, and returns their relation, which this session can use.
func (s *artifacts) Upload(ctx context.Context, b *arrow.Batch) (Relation, error) {
	local, err := proto.Marshal(&protocol.LocalRelation{Data: arrow.Write(b)})
	if err != nil {
		return Relation{}, err
	}
	sum := sha256.Sum256(local)
	hash := hex.EncodeToString(sum[:])
	if err := s.AddArtifacts(ctx, ArtifactBytes("cache/"+hash, local)); err != nil {
		return Relation{}, err
	}
	s.mu.Lock()
	s.uploaded += int64(len(local))
	s.mu.Unlock()
	// It has no plan number: the server would hold the rows for as long as it knows the number.
	return Relation{r: &protocol.Relation{RelType: &protocol.Relation_CachedLocalRelation{
		CachedLocalRelation: &protocol.CachedLocalRelation{Hash: hash}}}}, nil
}
