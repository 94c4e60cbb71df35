package lease

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// identify returns where this process has its number, and when it started. numbered is the boot of the machine and the
// namespaces of process numbers and of times, as containers have their own. identify returns nothing if processes with
// such numbers can't be recognised from here.
func identify() (numbered, started string) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(strings.TrimSpace(string(boot))) == 0 {
		return "", ""
	}
	if self, err := os.Readlink("/proc/self"); err != nil || self != strconv.Itoa(os.Getpid()) {
		return "", "" // this /proc numbers processes for another namespace
	}
	processes, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", ""
	}
	times, err := os.Readlink("/proc/self/ns/time")
	if err != nil && !errors.Is(err, os.ErrNotExist) { // older systems have none
		return "", ""
	}
	_, started, err = stat("/proc/self/stat")
	if err != nil {
		return "", ""
	}
	return strings.TrimSpace(strings.Join([]string{strings.TrimSpace(string(boot)), processes, times}, " ")), started
}

// gone reports whether the process that had the number has ended. It sends signal 0, which also finds processes that
// /proc hides from this user.
func gone(process int, started string) bool {
	if err := syscall.Kill(process, 0); err != nil {
		return errors.Is(err, syscall.ESRCH)
	}
	at := filepath.Join("/proc", strconv.Itoa(process))
	state, since, err := stat(filepath.Join(at, "stat"))
	if err != nil {
		return false
	}
	if since != started {
		return true // another process has the number now
	}
	if state != "Z" {
		return false
	}
	// It is a zombie: it was killed, and its parent has not waited for it yet. Its other threads may still be ending.
	threads, err := os.ReadDir(filepath.Join(at, "task"))
	return err == nil && len(threads) == 1
}

// stat returns the state of a process, and its start in ticks since the machine's start.
func stat(file string) (state, started string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", err
	}
	// The name of the program comes first, in parentheses, and may contain any character.
	fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
	if len(fields) < 20 {
		return "", "", errors.New(file + " is not as expected")
	}
	return fields[0], fields[19], nil
}
