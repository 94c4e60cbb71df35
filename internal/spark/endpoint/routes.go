package endpoint

import (
	"context"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/internal/spark/connect"
)

// Routes are the addresses at which a session's workers look for the server, one after the other: this client's,
// and that of Spark's driver. There may be none: on another machine this client's loopback is another server's, or
// nobody's, so no token and no header is sent there, nor to Spark's driver in clear unless this client does so too.
func Routes(ctx context.Context, s *connect.Session) ([]connect.Address, error) {
	own := s.Address()
	own.SessionID, own.UserID = s.ID(), s.UserID()
	known, err := s.Get(ctx, "spark.driver.host", "spark.connect.grpc.binding.port")
	if err != nil {
		return nil, err
	}
	return routes(own, known["spark.driver.host"], known["spark.connect.grpc.binding.port"]), nil
}

// routes are those of a client that reaches the server at own. host and port are the server's words for where it is.
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
	if own.Loopback() { // a tunnel's end, perhaps: there, it is another machine's loopback
		slices.Reverse(all)
	}
	if own.Token == "" && len(own.Headers) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(a connect.Address) bool {
		return a.Loopback() || !a.TLS && (own.Loopback() || a.Token != "")
	})
}
