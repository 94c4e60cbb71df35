//go:build storage

package hdfs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/iotest"
)

// TestRefusals: the name node refuses writes by a user, in a full directory, and in safe mode. Each error says who may
// not write where, and what helps; existing files stay.
func TestRefusals(t *testing.T) {
	dir := home(t)
	put(t, dir+"/file", []byte("kept"))
	three := random(1, 3*block)
	refused := func(what string, words ...string) {
		t.Helper()
		t.Log(what)
		oneLine(t, registered(t).Put(context.Background(), dir+"/file", bytes.NewReader(three), int64(len(three))),
			append(words, dir+"/file")...)
		if got := names(t, dir); got != "file" || mini(t, "sha256", nil, "path",
			pathOf(t, dir)+"/file") != hash([]byte("kept")) {
			t.Errorf("%s: left is %s", what, got)
		}
	}

	t.Setenv("HADOOP_USER_NAME", "bob")
	refused("another user", "the user bob may not", "alice", "0755", "HADOOP_USER_NAME")
	for _, err := range []error{
		registered(t).CheckWritable(context.Background(), dir+"/file"),
		registered(t).CheckWritable(context.Background(), dir+"/new/file"),
		registered(t).Remove(context.Background(), dir+"/file"),
	} {
		oneLine(t, err, "the user bob may not")
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v is no fs.ErrPermission", err)
		}
	}
	mini(t, "chmod", nil, "path", pathOf(t, dir)+"/file", "mode", "600")
	oneLine(t, second(registered(t).Open(context.Background(), dir+"/file")), "the user bob may not", "0600")
	mini(t, "chmod", nil, "path", pathOf(t, dir), "mode", "700")
	oneLine(t, second(registered(t).Open(context.Background(), dir+"/file")), "the user bob may not", "0700")
	oneLine(t, second(registered(t).List(context.Background(), dir)), "the user bob may not", "0700")
	t.Setenv("HADOOP_USER_NAME", "alice")

	path := pathOf(t, dir)
	mini(t, "quota", nil, "path", path, "names", "-1", "bytes", "4194304") // of all replicas
	refused("a space quota", "space quota", "setSpaceQuota")
	mini(t, "quota", nil, "path", path, "names", "2", "bytes", "-1")
	refused("a quota of names", "quota of names", "setQuota")
	oneLine(t, registered(t).CheckWritable(context.Background(), dir+"/file"), "quota of names")
	mini(t, "quota", nil, "path", path, "names", "-1", "bytes", "-1")

	mini(t, "safemode", nil, "on", "true")
	refused("safe mode", "safe mode", "-safemode leave")
	oneLine(t, registered(t).CheckWritable(context.Background(), dir+"/file"), "safe mode")
	oneLine(t, registered(t).Remove(context.Background(), dir+"/file"), "safe mode")
	if b := get(t, dir+"/file"); string(b) != "kept" {
		t.Errorf("in safe mode %q is read", b)
	}
	mini(t, "safemode", nil, "on", "false")
	put(t, dir+"/file", three)
}

// TestFullDisks: the data nodes have no room at first, or none after the first block. Existing files stay, and nothing
// else remains.
func TestFullDisks(t *testing.T) {
	dir := home(t)
	put(t, dir+"/file", []byte("kept"))
	b := random(1, 3*block)
	room := func(bytes string) { mini(t, "room", nil, "bytes", bytes) }
	defer room("-1")
	for what, at := range map[string]int{"at first": 0, "in the middle": block + 1} {
		for _, name := range []string{"/file", "/new"} {
			t.Log(what)
			content := &seeker{ReadSeeker: bytes.NewReader(b), at: at, call: func() { room("0") }}
			oneLine(t, registered(t).Put(context.Background(), dir+name, content, int64(len(b))), dir+name,
				"no data node takes it", "have they room?")
			room("-1")
		}
		if got := names(t, dir); got != "file" || mini(t, "sha256", nil, "path",
			pathOf(t, dir)+"/file") != hash([]byte("kept")) {
			t.Errorf("%s: left is %s", what, got)
		}
	}
	put(t, dir+"/file", b)
}

// TestDataNodeStops: a data node stops in the middle of a read, and the other replica is read. If none is left,
// reading and writing fail with an error that says so.
func TestDataNodeStops(t *testing.T) {
	dir := home(t)
	b := random(1, 4*block)
	put(t, dir+"/file", b)
	put(t, dir+"/other", b)
	defer mini(t, "start-datanodes", nil)
	opened := func() (io.Reader, []byte) {
		f, err := registered(t).Open(context.Background(), dir+"/file")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		part := make([]byte, block+1000)
		if _, err := io.ReadFull(f, part); err != nil {
			t.Fatal(err)
		}
		return f, part
	}

	f, part := opened()
	mini(t, "stop-datanode", nil, "known", "true")
	if rest, err := io.ReadAll(f); err != nil || !bytes.Equal(append(part, rest...), b) {
		t.Errorf("with one data node left, %d bytes follow, or others; %v", len(rest), err)
	}
	put(t, dir+"/other", b[1:]) // to the one that is left
	if !bytes.Equal(get(t, dir+"/other"), b[1:]) {
		t.Error("with one data node left, other bytes are written")
	}

	f, _ = opened()
	mini(t, "stop-datanode", nil, "known", "false")
	_, err := io.ReadAll(f)
	oneLine(t, err, dir+"/file", "data nodes", "byte ")
	oneLine(t, second(registered(t).Open(context.Background(), dir+"/file")), "data nodes", "byte 0")
	oneLine(t, registered(t).Put(context.Background(), dir+"/file", bytes.NewReader(b), int64(len(b))),
		dir+"/file", "data nodes")
	if got := names(t, dir); got != "file other" {
		t.Errorf("left is %s", got)
	}

	mini(t, "start-datanodes", nil)
	if !bytes.Equal(get(t, dir+"/file"), b) {
		t.Error("other bytes are read when the nodes are back")
	}
	put(t, dir+"/file", b[1:])
}

// TestNameNodeReturns: after a name node's restart, work goes on with a new connection, also for an open file.
func TestNameNodeReturns(t *testing.T) {
	dir := home(t)
	b := random(1, 3*block)
	put(t, dir+"/file", b)
	f, err := registered(t).Open(context.Background(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	mini(t, "stop-namenode", nil, "node", "0")
	oneLine(t, registered(t).CheckWritable(context.Background(), dir+"/file"), "can't be reached", "refused", "8020")
	mini(t, "start-namenode", nil, "node", "0")
	mini(t, "activate", nil, "node", "0")
	if got, err := io.ReadAll(f); err != nil || !bytes.Equal(got, b) {
		t.Errorf("%d bytes, or others, are read from the open file; %v", len(got), err)
	}
	put(t, dir+"/file", b[1:])
	if !bytes.Equal(get(t, dir+"/file"), b[1:]) {
		t.Error("other bytes are read after the restart")
	}
}

// TestPutWhenTheNameNodeLeaves: the name node stops in the middle of Put. Nothing changes, and Put starts again on the
// name node that is active then.
func TestPutWhenTheNameNodeLeaves(t *testing.T) {
	conf := environment(t, "HADOOP_CONF_DIR") // before home removes it
	dir := home(t)
	service := "hdfs://mini" + pathOf(t, dir)
	t.Setenv("HADOOP_CONF_DIR", conf)
	b := random(1, 3*block+5)
	put(t, service+"/file", []byte("kept"))
	once := false
	leave := func() {
		if !once {
			once = true
			mini(t, "stop-namenode", nil, "node", "0")
			mini(t, "activate", nil, "node", "1")
		}
	}
	content := &seeker{ReadSeeker: bytes.NewReader(b), at: 2 * block, call: leave}
	if err := registered(t).Put(context.Background(), service+"/file", content, int64(len(b))); err != nil {
		t.Error(err)
	}
	if !once || !bytes.Equal(get(t, service+"/file"), b) || !bytes.Equal(get(t, "hdfs://"+pathOf(t, dir)+"/file"), b) {
		t.Error("another file is there")
	}
	mini(t, "start-namenode", nil, "node", "0")
	oneLine(t, second(registered(t).Open(context.Background(), dir+"/file")), "standby", "name service")
	mini(t, "activate", nil, "node", "0")
	if got := names(t, dir); got != "file" || !bytes.Equal(get(t, service+"/file"), b) {
		t.Errorf("with the first name node active again there are %s", got)
	}
}

// seeker calls a function when it is read from a position on.
type seeker struct {
	io.ReadSeeker
	read, at int
	call     func()
}

func (s *seeker) Read(b []byte) (int, error) {
	if s.read >= s.at {
		s.call()
	}
	n, err := s.ReadSeeker.Read(b)
	s.read += n
	return n, err
}

// TestSlowContent: a file may take its time.
func TestSlowContent(t *testing.T) {
	dir := home(t)
	b := random(9, 70000)
	if err := registered(t).Put(context.Background(), dir+"/file", iotest.OneByteReader(bytes.NewReader(b)),
		int64(len(b))); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(get(t, dir+"/file"), b) {
		t.Error("other bytes are there")
	}
	if strings.Contains(names(t, dir), "tmp") {
		t.Error("a temporary file is left")
	}
}
