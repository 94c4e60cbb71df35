package doctor

import (
	"context"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/deploy"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
)

// session is a server in a session of its own.
type session struct{ *connect.Session }

func newSession(ctx context.Context, a connect.Address, o connect.Options) (server, error) {
	s, err := connect.Open(ctx, a, o)
	if err != nil {
		return nil, err
	}
	return session{s}, nil
}

func (s session) Query(ctx context.Context, sql string) (rows []string, err error) {
	err = s.Collect(ctx, connect.SQL(sql), connect.Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			rows = append(rows, b.Columns[0].Text(i))
		}
		return nil
	})
	return rows, err
}

func (s session) Command(ctx context.Context, sql string) error {
	_, err := s.Exec(ctx, sql)
	return err
}

func (s session) Survey(ctx context.Context, o engine.Options, patience time.Duration) (int, string, error) {
	p, err := deploy.New(deploy.Options{Binaries: o.WorkerBinaries, Patience: patience, Log: o.Log})
	if err != nil {
		return 0, "", err
	}
	if err := p.Send(ctx, s.Session); err != nil {
		return 0, "", err
	}
	return p.Slots(), p.Command(protocol), nil
}

func (s session) Routes(ctx context.Context) (all []string, err error) {
	addresses, err := endpoint.Routes(ctx, s.Session)
	for _, a := range addresses {
		all = append(all, a.Server())
	}
	return all, err
}
