package endpoint

import (
	"context"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// Routes returns the addresses at which a session's workers look for the server, one after the other: the one that this
// client uses, and that of Spark's driver. There may be none. On another machine, this client's loopback address
// belongs to another server, or to none. So Routes sends no token and no header there. It sends none to Spark's driver
// in clear, unless this client does so too.
func Routes(ctx context.Context, s *connect.Session) ([]connect.Address, error) {
	own := s.Address()
	own.SessionID, own.UserID = s.ID(), s.UserID()
	known, err := s.Get(ctx, "spark.driver.host", "spark.connect.grpc.binding.port")
	if err != nil {
		return nil, err
	}
	return routes(own, known["spark.driver.host"], known["spark.connect.grpc.binding.port"]), nil
}

// routes returns the routes of a client that reaches the server at own. host and port are where the server says that it
// is.
func routes(own connect.Address, host, port string) []connect.Address {
	all := []connect.Address{own}
	if host != "" && host != own.Host {
		there := own
		there.Host, there.Port = host, connect.DefaultPort
		if n, err := strconv.Atoi(port); err == nil {
			there.Port = n
		}
		all = append(all, there)
	}
	if own.Loopback() { // perhaps a tunnel: on another machine, loopback is another server
		slices.Reverse(all)
	}
	if own.Token == "" && len(own.Headers) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(a connect.Address) bool {
		return a.Loopback() || !a.TLS && (own.Loopback() || a.Token != "")
	})
}
