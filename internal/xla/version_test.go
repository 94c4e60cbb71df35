//go:build xla

package xla

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// stubPlugin writes a shared library whose GetPjrtApi returns an interface of this size and version, without
// functions.
func stubPlugin(t *testing.T, size uint64, major, minor int32) string {
	t.Helper()
	const symbols, names, hash, dynamic, code, data, end = 232, 280, 296, 320, 416, 424, 4096
	b := make([]byte, end)
	put := func(at int, values ...any) {
		for _, v := range values {
			n, err := binary.Encode(b[at:], binary.LittleEndian, v)
			if err != nil {
				t.Fatal(err)
			}
			at += n
		}
	}
	machine, function := elf.EM_X86_64, []byte{0x48, 0x8d, 0x05, 1, 0, 0, 0, 0xc3} // lea 1(%rip), %rax; ret
	if runtime.GOARCH == "arm64" {
		machine, function = elf.EM_AARCH64, []byte{0x40, 0, 0, 0x10, 0xc0, 0x03, 0x5f, 0xd6} // adr x0, .+8; ret
	}
	header := elf.Header64{Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1},
		Type: uint16(elf.ET_DYN), Machine: uint16(machine), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 3,
		Shentsize: 64}
	all := uint32(elf.PF_R | elf.PF_W | elf.PF_X)
	put(0, header,
		elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: all, Filesz: end, Memsz: end, Align: 1 << 16},
		elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Flags: all, Off: dynamic, Vaddr: dynamic, Filesz: 96, Memsz: 96, Align: 8},
		elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W), Align: 16})
	put(symbols+24, elf.Sym64{Name: 1, Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1, Value: code, Size: 8})
	copy(b[names:], "\x00GetPjrtApi\x00")
	put(hash, [5]uint32{1, 2, 1, 0, 0}) // one bucket, which has symbol 1
	put(dynamic, [6][2]uint64{{uint64(elf.DT_HASH), hash}, {uint64(elf.DT_STRTAB), names},
		{uint64(elf.DT_SYMTAB), symbols}, {uint64(elf.DT_STRSZ), 12}, {uint64(elf.DT_SYMENT), 24}, {uint64(elf.DT_NULL), 0}})
	copy(b[code:], function)
	put(data, size, uint64(0), uint64(24), uint64(0), major, minor)
	path := filepath.Join(t.TempDir(), fmt.Sprintf("v%d.%d.so", major, minor))
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Plugins with another version of the interface are refused with both versions. So is one whose interface is too
// short.
func TestBadPluginsOfOtherVersions(t *testing.T) {
	for _, c := range []struct {
		size         uint64
		major, minor int32
		want         string
	}{
		{3000, 1, 72, "has version 1.72 of the PJRT interface, this program needs 0.40 or a later 0.x"},
		{3000, 0, 39, "has version 0.39 of the PJRT interface, this program needs 0.40 or a later 0.x"},
		{100, 0, 72, "has a PJRT interface of 100 bytes, "},
	} {
		path := stubPlugin(t, c.size, c.major, c.minor)
		_, err := New(Options{Program: os.Getenv("DL4GO_XLA"), Plugin: path})
		if err == nil || !strings.Contains(err.Error(), path+": "+c.want) {
			t.Errorf("version %d.%d: %v", c.major, c.minor, err)
		}
	}
}
