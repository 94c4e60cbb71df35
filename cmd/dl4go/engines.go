package main

import (
	"github.com/spf13/pflag"

	_ "github.com/dl4go/dl4go/internal/spark" // sc://…
	"github.com/dl4go/dl4go/internal/workplace"
)

// engineFlags say where work runs.
type engineFlags struct{ workplace.Engine }

func (f *engineFlags) add(fs *pflag.FlagSet, master string) {
	f.addMaster(fs, master)
	fs.IntVar(&f.Threads, "threads", 0, "`N` threads per worker (default: cores / workers)")
	fs.StringVar(&f.Kernel, "kernel", "", "`NAME` portable, avx2, avx512, amx or neon (default: the best)")
	f.addCluster(fs)
}

func (f *engineFlags) addMaster(fs *pflag.FlagSet, master string) {
	f.Given = fs.Changed
	fs.StringVar(&f.Master, "master", master, "`ENGINE` local[N], processes[N] or sc://…")
}

// addCluster adds workplace.ClusterFlags.
func (f *engineFlags) addCluster(fs *pflag.FlagSet) {
	c := &f.Connection
	fs.StringVar(&c.TokenFile, "token-file", "", "`FILE` file with the server's token")
	fs.StringVar(&c.CAFile, "ca-file", "", "`FILE` PEM certificates to trust")
	fs.StringVar(&c.CertFile, "client-cert", "", "`FILE` PEM certificate of this client")
	fs.StringVar(&c.KeyFile, "client-key", "", "`FILE` PEM key of this client")
	fs.StringVar(&c.ServerName, "server-name", "", "`NAME` name in the server's certificate")
	fs.BoolVar(&c.Insecure, "insecure", false, "allow a connection without TLS")
	fs.StringArrayVar(&f.Binaries, "worker-binary", nil, "`KIND=FILE` dl4go of other executors, or file:///PATH")
}

// addDevice adds the flags of commands whose networks can run on a device.
func (f *engineFlags) addDevice(fs *pflag.FlagSet) {
	d := &f.Device
	fs.StringVar(&d.Device, "device", "", "`DEVICE` cpu (default), gpu, gpu:N, xla-cpu or auto")
	fs.StringVar(&d.Precision, "precision", "", "`NAME` of products: float32 (default), tf32 or bf16")
	fs.StringVar(&d.Memory, "device-memory", "", "`LIMIT` of a worker, such as 50% or 4GiB (default: 90%)")
	fs.StringVar(&d.Plugins, "device-plugins", "", "`DIR` with plugins, on the workers' machines")
}

// addSharing adds the flag of commands that can assign a device to each worker.
func (f *engineFlags) addSharing(fs *pflag.FlagSet) {
	fs.IntVar(&f.Device.Workers, "workers-per-device", 0, "`N` workers share a device (default 1)")
}
