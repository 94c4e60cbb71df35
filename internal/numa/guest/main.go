// Command guest is the first process of the virtual machine of tools/numa.sh, and packs its files:
//
//	guest pack FILE… >ARCHIVE    packs this program and the files as Linux's first file system
//
// Linux runs this program as /init. It runs the commands of the file named commands, a line each, says "passed" if all
// succeed, and switches the machine off.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if os.Getpid() == 1 {
		serve()
		return
	}
	if len(os.Args) < 3 || os.Args[1] != "pack" {
		fmt.Fprintln(os.Stderr, "usage: guest pack FILE… >ARCHIVE")
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	err := pack(out, os.Args[2:])
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "guest:", err)
		os.Exit(1)
	}
}

// pack writes an archive of Linux's format "newc".
func pack(to io.Writer, files []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	const directory, program = 0o040755, 0o100755
	for i, name := range []string{"dev", "proc", "sys", "tmp"} {
		if err := entry(to, i+1, name, directory, nil); err != nil {
			return err
		}
	}
	for i, path := range append([]string{self}, files...) {
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.Base(path)
		if i == 0 {
			name = "init"
		}
		if err := entry(to, i+10, name, program, content); err != nil {
			return err
		}
	}
	return entry(to, 0, "TRAILER!!!", 0, nil)
}

// entry writes a file: its head of numbers, its name and its content, each up to a multiple of four bytes.
func entry(to io.Writer, number int, name string, mode int, content []byte) error {
	var b bytes.Buffer
	b.WriteString("070701")
	for _, n := range []int{number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0} {
		fmt.Fprintf(&b, "%08X", n)
	}
	pad := func() {
		for b.Len()%4 != 0 {
			b.WriteByte(0)
		}
	}
	b.WriteString(name)
	b.WriteByte(0)
	pad()
	b.Write(content)
	pad()
	_, err := to.Write(b.Bytes())
	return err
}
