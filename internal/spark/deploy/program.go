// Package deploy sends this program to the executors of a Spark session, as artifacts: a file for each operating system
// and processor, and a script that starts the right one.
//
// Executors of this program's own kind get the program's own file. Others get the file that Options name. If there is
// none, the package builds the program, given its source and a Go toolchain. Otherwise Send fails, and names the
// program that you must build.
package deploy

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// Options say where the files for executors come from. Zero values mean the defaults.
type Options struct {
	// Binaries are files of this program for other machines, by Platform. They are files of this machine or, if they
	// begin with "file:", files that already lie on each executor. New adds those of BinariesVariable.
	Binaries map[string]string
	// Files are files of this machine. Each executor gets them beside the program, under the same names.
	Files []string
	// Patience is how long Send waits for the executors' first answer, 5 min by default: they may have to be started.
	Patience time.Duration
	// Log is slog.Default() by default.
	Log *slog.Logger

	uname string // the command that executors use to name their machine; for tests
}

// BinariesVariable is the environment variable that names files, as Options.Binaries does: linux/arm64=FILE,…
const BinariesVariable = "DL4GO_WORKER_BINARY"

// Program is this program on a cluster. Each session has its own, or several share one.
type Program struct {
	options Options
	build   string

	mu       sync.Mutex // held by Send
	slots    int
	machines map[string][]string // the executors' hosts, by machine name: Linux-x86_64
	files    map[string]string   // to be sent, by machine name
	there    map[string]string   // already on the executors, by machine name
}

// New makes a program.
func New(o Options) (*Program, error) {
	if o.Patience == 0 {
		o.Patience = 5 * time.Minute
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.uname == "" {
		o.uname = "uname -sm"
	}
	var err error
	if o.Binaries, err = named(o.Binaries, os.Getenv(BinariesVariable)); err != nil {
		return nil, err
	}
	p := &Program{options: o, machines: make(map[string][]string)}
	if p.build, err = worker.Build(); err != nil {
		return nil, fmt.Errorf("this program's own file, which workers are to run, can't be read: %w", err)
	}
	return p, nil
}

// named adds the environment's list to the options'.
func named(options map[string]string, list string) (map[string]string, error) {
	all := make(map[string]string)
	for item := range strings.SplitSeq(list, ",") {
		if item == "" {
			continue
		}
		platform, file, _ := strings.Cut(item, "=")
		if file == "" {
			return nil, fmt.Errorf("%s: wanted OS/ARCH=FILE,…, such as linux/arm64=FILE, not %q", BinariesVariable, item)
		}
		all[platform] = file
	}
	maps.Copy(all, options)
	for platform, file := range all {
		if _, err := ParsePlatform(platform); err != nil {
			return nil, err
		}
		if _, _, err := onExecutors(file); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Build is the hash of this program's own file.
func (p *Program) Build() string { return p.build }

// Slots returns the number of tasks that the cluster ran at once when Send asked it. It is known after Send.
func (p *Program) Slots() int { return p.slots }

// Machines returns the machine names of the executors (Linux-x86_64), each with its hosts.
func (p *Program) Machines() map[string][]string { return p.machines }

// OnlyOn reports whether all executors are on the host of this name. It is known after Send.
func (p *Program) OnlyOn(host string) bool {
	for _, hosts := range p.machines {
		if !slices.Equal(hosts, []string{host}) {
			return false
		}
	}
	return len(p.machines) > 0
}

// launcher returns the name of the script, which contains the script's hash.
func (p *Program) launcher() string {
	sum := sha256.Sum256([]byte(p.script()))
	return fmt.Sprintf("dl4go-%x.sh", sum[:16])
}

// Command starts a worker that speaks this protocol, by SQL's TRANSFORM … USING, in the tasks of any session that the
// program was sent to. It has no quotes.
func (p *Program) Command(protocol string) string {
	// An executor has a folder for each session. Any of them may be disappearing.
	return "for f in ./*/" + p.launcher() + "; do . $f " + protocol + "; done; exit 127"
}

// SweepProtocol is the protocol with which the program only removes a session's artifacts. Its argument is their mark.
const SweepProtocol = "sweep"

// Sweep starts the program to remove a session's artifacts from an executor, in a task of that session. mark is an
// artifact that no other session has. The command has no quotes, and no task fails if the artifacts are already gone.
func (p *Program) Sweep(mark string) string {
	return "for f in ./*/" + p.launcher() + "; do [ -e $f ] && . $f " + SweepProtocol + " " + mark +
		"; done; exec cat >/dev/null"
}

// Send sends the program's files to a session, as artifacts that the server drops with the session. Before the first
// session, it waits for a slot and asks the executors for their kinds of machines.
func (p *Program) Send(ctx context.Context, s *connect.Session) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.files == nil {
		if err := p.survey(ctx, s); err != nil {
			return err
		}
		var err error
		if p.files, p.there, err = p.find(ctx); err != nil {
			return err
		}
	}
	artifacts := []connect.Artifact{connect.ArtifactBytes(connect.AsJar+p.launcher(), []byte(p.script()))}
	for machine, path := range p.files {
		a, err := programFile(connect.AsJar+"dl4go-"+p.build+"-"+machine, path)
		if err != nil {
			return err
		}
		artifacts = append(artifacts, a)
	}
	for _, path := range p.options.Files {
		a, err := connect.ArtifactFile(connect.AsJar+filepath.Base(path), path)
		if err != nil {
			return err
		}
		artifacts = append(artifacts, a)
	}
	return s.AddArtifacts(ctx, artifacts...)
}

// survey asks every slot about its machine and executor.
func (p *Program) survey(ctx context.Context, s *connect.Session) error {
	late := time.AfterFunc(p.options.Patience/20, func() {
		p.options.Log.Warn("waiting for a slot: all are taken, or no executor is there yet", "master", s.Address(),
			"patience", p.options.Patience)
	})
	defer late.Stop()
	clear(p.machines)
	set, err := s.Get(ctx, slotSettings...)
	if err != nil {
		return err
	}
	found := census{set: set, executors: make(map[string]int)}
	err = found.take(func(tasks int) (int, error) { return p.ask(ctx, s, tasks, found.executors) })
	var answer *connect.Error
	switch {
	case err != nil && ctx.Err() != nil:
		return err
	case errors.As(err, &answer) && answer.Code == codes.DeadlineExceeded:
		return fmt.Errorf("%s gave no task a slot within %v: all are taken, or executors don't start (the cluster's own "+
			"page says which)",
			s.Address(), p.options.Patience)
	case err != nil:
		return &RefusedError{Server: s.Address().String(), Cause: err}
	}
	if found.tasks == 0 {
		return fmt.Errorf("%s: Spark ran a query without a task", s.Address())
	}
	p.slots = atOnce(coresOf(found.tasks, found.executors, set), set[taskCores], set[executorCores])
	return nil
}

// ask runs tasks that name their machines and executors: as many as Spark chooses, or a given number that linger. It
// records their machines, and their executors with their cores, and returns the number of tasks.
func (p *Program) ask(ctx context.Context, s *connect.Session, wanted int,
	executors map[string]int) (tasks int, err error) {
	// Spark cuts a range into as many partitions as it has cores. Each needs rows, or Spark would start no process for
	// it.
	rows, wait := "range(0, 4096)", ""
	if wanted > 0 {
		rows, wait = fmt.Sprintf("range(0, %d, 1, %[1]d)", wanted), "sleep 0.5; "
	}
	each := connect.SQL("SELECT TRANSFORM(id) USING '" + p.options.uname + "; uname -n; " + executorLine + "; " + wait +
		"exec cat >/dev/null' AS (line STRING) FROM " + rows)
	var said []string // by each task: its machine, its host, its executor
	err = s.Collect(ctx, each, connect.Run{Timeout: p.options.Patience}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			if said = append(said, b.Columns[0].Text(i)); len(said) < 3 {
				continue
			}
			tasks++
			machine, host := strings.ReplaceAll(said[0], " ", "-"), said[1]
			if !slices.Contains(p.machines[machine], host) {
				p.machines[machine] = append(p.machines[machine], host)
			}
			name, cores := parseExecutor(said[2])
			executors[host+" "+name] = cores
			said = said[:0]
		}
		return nil
	})
	return tasks, err
}

// find finds a file for each kind of machine that was seen or named: to be sent, or already on the executors.
func (p *Program) find(ctx context.Context) (files, there map[string]string, err error) {
	files, there = make(map[string]string), make(map[string]string)
	for name, path := range p.options.Binaries {
		platform, err := ParsePlatform(name)
		if at, ok, _ := onExecutors(path); ok {
			there[platform.machine()] = at
			continue
		}
		if err == nil {
			err = Check(path, platform)
		}
		if err != nil {
			return nil, nil, err
		}
		files[platform.machine()] = path
	}
	for machine, hosts := range p.machines {
		platform, known := platformOf(machine)
		if path, ok := p.options.Binaries[platform.String()]; ok {
			if at, ok, _ := onExecutors(path); ok {
				there[machine] = at
			} else {
				files[machine] = path
			}
			continue
		}
		path, err := "", errors.New("such machines have no name in Go")
		switch {
		case known && platform == Own():
			path, err = worker.Executable()
		case known:
			path, err = crossBuild(ctx, p.build, platform, p.options.Log)
		}
		if err != nil {
			return nil, nil, &PlatformError{Platform: platform, Machine: machine, Host: hosts[0], Reason: err}
		}
		files[machine] = path
	}
	return files, there, nil
}

//go:embed launch.sh
var script string

func (p *Program) script() string {
	installed := ""
	for _, machine := range slices.Sorted(maps.Keys(p.there)) {
		installed += fmt.Sprintf("\n%s) there=%s files=(%[2]s) ;;", machine, p.there[machine])
	}
	return strings.NewReplacer("INSTALLED", installed, "VARIABLE", engine.WorkerVariable, "MACHINE", p.options.uname,
		"BUILD", p.build).Replace(script)
}
