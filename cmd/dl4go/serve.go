package main

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/about"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/serving"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/serve"
)

// serveFlags are the flags of dl4go serve.
type serveFlags struct {
	models    []string
	secrets   serving.Secrets
	reload    time.Duration
	predictor serve.Options
	server    serving.Options
	on        engineFlags // only its flags about devices are used
}

func serveCommand() *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve --model NAME=FILE",
		Short: "Answer over HTTP and gRPC by the Open Inference Protocol",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.models, "model", nil, "`NAME=FILE` or NAME/VERSION=FILE; may be given again")
	fs.StringVar(&f.server.HTTP, "http", "127.0.0.1:8000", "`HOST:PORT` of HTTP, or none")
	fs.StringVar(&f.server.GRPC, "grpc", "127.0.0.1:8001", "`HOST:PORT` of gRPC, or none")
	fs.DurationVar(&f.reload, "reload", 5*time.Second, "`TIME` between looks at the files (0: never)")
	fs.IntVar(&f.predictor.MaxBatch, "max-batch", 64, "`N` examples of a minibatch, a power of two")
	fs.DurationVar(&f.predictor.MaxDelay, "max-delay", 0, "`TIME` that requests wait for others")
	fs.IntVar(&f.predictor.MaxQueue, "max-queue", 4096, "`N` waiting examples, beyond which requests are refused")
	fs.DurationVar(&f.server.Timeout, "timeout", 30*time.Second, "`TIME` that a request may take")
	fs.Int64Var(&f.server.MaxRequest, "max-request", 64<<20, "`BYTES` of a request")
	fs.Int64Var(&f.server.MaxHeld, "max-held", 1<<30, "`BYTES` of all requests and answers at a time")
	fs.BoolVar(&f.server.LogRequests, "log-requests", false, "log each request: model, rows, status, times")
	fs.DurationVar(&f.server.Drain, "drain", 30*time.Second, "`TIME` for requests under way at the end")
	f.on.addDevice(fs)
	fs.StringVar(&f.secrets.Certificate, "tls-cert", "", "`FILE` certificate of the server, in PEM")
	fs.StringVar(&f.secrets.Key, "tls-key", "", "`FILE` its key")
	fs.StringVar(&f.secrets.Clients, "client-ca", "", "`FILE` authorities of the certificates that clients need")
	fs.StringVar(&f.secrets.Token, "access-token", "", "`FILE` with the token that requests need")
	return cmd
}

func (f *serveFlags) run(cmd *cobra.Command) error {
	specs, err := f.check(cmd)
	if err != nil {
		return err
	}
	f.server.Version, f.server.Log = about.Version(), slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	ctx := cmd.Context()
	if err := f.device(); err != nil {
		return err
	}
	models, err := serving.OpenRepository(ctx, specs, f.predictor, f.server.Log)
	if err != nil {
		return err
	}
	defer models.Close()
	s, err := serving.Listen(models, f.server)
	if err != nil {
		return err
	}
	if f.reload > 0 {
		defer models.Watched(ctx, f.reload)()
	}
	web, rpc := s.Addresses()
	f.server.Log.Info("serving", "http", web, "grpc", rpc, "models", f.models)
	if err := s.Run(ctx); err != nil {
		return err
	}
	f.server.Log.Info("the server has ended")
	return nil
}

// device makes the models run on a device, or with kernels of another precision, if the flags say so.
func (f *serveFlags) device() error {
	kernels, err := f.on.Processor(false, func(format string, args ...any) {
		f.server.Log.Warn(fmt.Sprintf(format, args...))
	})
	switch {
	case err != nil:
		return err
	case xla.IsDevice(kernels):
		f.predictor.Concurrency = 1 // each one takes the whole device
	case f.on.Device.Precision == "":
		return nil
	}
	f.predictor.Executor = func() (serve.Executor, error) {
		return distributed.NewExecutor(kernels, 1, f.server.Log)
	}
	return nil
}

// check reads the flags.
func (f *serveFlags) check(cmd *cobra.Command) (specs []serving.Spec, err error) {
	if len(f.models) == 0 {
		return nil, usagef("--model is needed: %s --help shows how", cmd.CommandPath())
	}
	if err := arguments.Positive(cmd, "max-queue", "max-batch"); err != nil {
		return nil, err
	}
	for _, text := range f.models {
		s, err := serving.ParseSpec(text)
		if err != nil {
			return nil, usagef("--model %w", err)
		}
		specs = append(specs, s)
	}
	if err := f.server.Check(); err != nil {
		return nil, err
	}
	if f.reload < 0 {
		return nil, usagef("--reload %v: it must be 0 or more", f.reload)
	}
	return specs, f.server.Secure(cmd.Context(), f.secrets)
}
