//go:build spark

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// held is the resources held by the cluster: memory of its Connect server, and files of all its processes.
type held struct{ direct, heap, disk int64 }

// String has it in MB.
func (h held) String() string {
	return fmt.Sprintf("%.1f MB of direct memory, %.1f MB of heap, %.1f MB of files", float64(h.direct)/1e6,
		float64(h.heap)/1e6,
		float64(h.disk)/1e6)
}

// cluster measures them, in its own session and from this machine.
type cluster struct {
	session *connect.Session
	pid     int // the server's
	files   string
}

func watch(t *testing.T, master string) *cluster {
	t.Helper()
	c := &cluster{files: os.Getenv("DL4GO_SPARK_FILES")}
	pid, err := os.ReadFile(filepath.Join(c.files, "connect.pid"))
	if err == nil {
		c.pid, err = strconv.Atoi(strings.TrimSpace(string(pid)))
	}
	if err != nil {
		t.Fatal("DL4GO_SPARK_FILES names no folder of tools/spark.sh with …: ", err)
	}
	address, err := connect.ParseAddress(master)
	if err == nil {
		c.session, err = connect.Open(t.Context(), address, connect.Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.session.Disconnect() })
	return c
}

// ask sends a command of jcmd to a JVM, since not every Java has jcmd. If a certain file exists, a JVM that gets
// SIGQUIT starts to listen for commands.
func ask(t *testing.T, pid int, command string) string {
	t.Helper()
	socket := fmt.Sprintf("/proc/%d/root/tmp/.java_pid%[1]d", pid)
	if _, err := os.Stat(socket); err != nil {
		wish := fmt.Sprintf("/proc/%d/cwd/.attach_pid%[1]d", pid)
		if err := os.WriteFile(wish, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(wish)
		if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
			t.Fatal(err)
		}
		await.Until(t, "the JVM to listen", func() (any, bool) {
			_, err := os.Stat(socket)
			return err, err == nil
		})
	}
	c, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "1\x00jcmd\x00"+command+"\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(c)
	if err != nil || !bytes.HasPrefix(said, []byte("0\n")) {
		t.Fatalf("%s: %v: %s", command, err, said)
	}
	return string(said)
}

// usedHeap matches a JVM's line about a generation of the heap, in KB.
var usedHeap = regexp.MustCompile(`generation +total \d+K, used (\d+)K`)

// now returns the held resources, with the heap after a full collection.
func (c *cluster) now(t *testing.T) (h held) {
	t.Helper()
	err := c.session.Collect(t.Context(),
		connect.SQL("SELECT java_method('io.netty.util.internal.PlatformDependent', 'usedDirectMemory') "+
			"FROM VALUES (1)"), connect.Run{}, func(b *arrow.Batch) (err error) {
			h.direct, err = strconv.ParseInt(b.Columns[0].Text(0), 10, 64)
			return err
		})
	if err != nil {
		t.Fatal(err)
	}
	ask(t, c.pid, "GC.run")
	said := ask(t, c.pid, "GC.heap_info")
	for _, used := range usedHeap.FindAllStringSubmatch(said, -1) {
		kb, _ := strconv.ParseInt(used[1], 10, 64)
		h.heap += kb << 10
	}
	if h.heap == 0 {
		t.Fatalf("the server tells no heap: %s", said)
	}
	// An executor that is busy when a session ends keeps its copies of the program, which are not counted.
	const program = 10 << 20
	filepath.WalkDir(c.files, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			executor := strings.Contains(path, "/app-") || strings.HasSuffix(path, "_cache")
			if info, err := entry.Info(); err == nil && !(executor && info.Size() >= program) {
				h.disk += info.Size()
			}
		}
		return nil // files come and go
	})
	return h
}

// trainOn runs dl4go train, and calls each for every epoch that has begun.
func trainOn(t *testing.T, each func(epoch int), flags ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"dl4go", "train", "--json", "--save", filepath.Join(t.TempDir(), "model.zip")}, flags...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for s := bufio.NewScanner(out); s.Scan(); {
		var line struct{ Epoch int }
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Error(err)
		}
		if line.Epoch > last {
			last = line.Epoch
			each(last)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("dl4go %s: %v: %s", strings.Join(cmd.Args[1:], " "), err, stderr.String())
	}
}

// TestSparkEndurance: consecutive sessions, and a run of many epochs over a query, leave a server of Spark's default
// size as they found it. Spark's own records of queries fill its heap a little, up to a number of them.
func TestSparkEndurance(t *testing.T) {
	master, counted := server(t), campaign.Record(t)
	c := watch(t, master)
	const more, heap = 12e6, 48e6 // bytes of direct memory and of heap for Spark's own work
	// flat waits until the cluster holds no more than that. Spark frees what is over on a thread of its own.
	flat := func(what string, before, most held) {
		t.Helper()
		await.Until(t, what+" to leave no more than "+most.String(), func() (any, bool) {
			now := c.now(t)
			ok := now.direct <= most.direct && now.heap <= most.heap && now.disk <= most.disk
			if ok {
				t.Logf("%s: %v before, %v after", what, before, now)
			}
			return now, ok
		})
	}
	session := func() {
		trainOn(t, func(int) {}, "--master", master, "--model", "mlp", "--training", "sharing", "--data", "digits",
			"--epochs", "1")
		counted.Add(1)
	}
	session()
	before := c.now(t)
	sessions := campaign.Count(2, 4, 30)
	for range sessions {
		session()
	}
	// The server keeps small values until it ends: here the digits, 0.4 MB. It keeps nothing of the program, 30 MB.
	flat(fmt.Sprint(sessions, " sessions"), before, held{before.direct + more, before.heap + heap,
		before.disk + int64(1+sessions)*1e6})

	// Without an empty batch at the end, each epoch's order left 1 MB in a server of Spark 4.0.
	const rows = 40_000
	epochs := campaign.Count(12, 20, 100)
	query := fmt.Sprintf("sql:SELECT float(id %% 7) AS a, float(id %% 5) AS b, id %% 2 AS label FROM range(%d)", rows)
	before = c.now(t)
	var early held
	trainOn(t, func(epoch int) {
		counted.Add(1)
		switch epoch {
		case epochs / 4:
			early = c.now(t)
		case epochs:
			// A session's rows stay until it ends, here 1 MB for each epoch's order: in Spark's storage memory, which is
			// limited, and on disk.
			flat(fmt.Sprintf("epochs %d to %d", epochs/4, epochs), early, held{early.direct + more, 600e6, early.disk +
				int64(epochs)*2e6})
		}
	}, "--master", master, "--model", "mlp", "--data", query, "--classes", "2", "--batch", "256", "--epochs",
		fmt.Sprint(epochs))
	flat(fmt.Sprint(epochs, " epochs"), before, held{before.direct + more, before.heap + heap, before.disk +
		8e6})
}
