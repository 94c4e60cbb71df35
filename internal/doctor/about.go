package doctor

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/cores"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/spark/deploy"
)

// protocol is the protocol of an examined worker: it reads a request, a line of base64, and writes facts.
const protocol = "spark.doctor/1"

func init() {
	engine.RegisterProtocol(protocol, func() {
		if err := tell(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "dl4go: the doctor's worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	})
}

// request is the request to a worker.
type request struct {
	Routes []string // servers to connect to, host:port
}

// facts describe a worker's machine.
type facts struct {
	Host     string
	Executor int // the process that started it
	Platform string
	Cores    int         // that its tasks may use
	Nodes    []numa.Node // NUMA nodes, if there are several
	Kernels  []string
	BF16     []string       // kernels with products of bfloat16
	Dir      string         // directory of the artifacts
	Free     int64          // bytes on its file system; -1: unknown
	Memory   checkup.Memory // of the machine, or the container
	Clock    int64          // Unix time in nanoseconds
	Routes   []route        // results for the request's routes
}

type route struct {
	Server string
	Error  string // empty if it was reached
}

// routeWait is how long a worker tries to reach a server.
const routeWait = 3 * time.Second

func tell(in io.Reader, out io.Writer) error {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
	if err != nil {
		return err
	}
	var r request
	if err := json.Unmarshal(b, &r); err != nil {
		return err
	}
	if b, err = json.Marshal(look(r)); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, base64.StdEncoding.EncodeToString(b))
	if _, rest := io.Copy(io.Discard, in); err == nil { // Spark writes all rows, or fails
		err = rest
	}
	return err
}

func look(r request) facts {
	f := facts{Executor: os.Getppid(), Platform: deploy.Own().String(), Cores: cores.Count(), Nodes: numa.Here(),
		Free: checkup.Free("."), Memory: checkup.ReadMemory(), Clock: time.Now().UnixNano()}
	f.Host, _ = os.Hostname()
	f.Dir, _ = filepath.Abs(".")
	for _, v := range kernel.Available() {
		f.Kernels = append(f.Kernels, v.String())
	}
	f.BF16 = kernel.BF16()
	for _, server := range r.Routes {
		at := route{Server: server}
		ctx, cancel := context.WithTimeout(context.Background(), routeWait)
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", server)
		cancel()
		if err != nil {
			at.Error = err.Error()
		} else {
			conn.Close()
		}
		f.Routes = append(f.Routes, at)
	}
	return f
}
