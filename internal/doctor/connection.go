package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/internal/spark/connect"
)

// connection begins a session.
func (e *exam) connection(ctx context.Context) checkup.Finding {
	s, err := e.open(ctx)
	if err != nil {
		fix := "" // the error has the advice
		if strings.Contains(err.Error(), "server running there") {
			fix = "start a Spark Connect server there (sbin/start-connect-server.sh of Spark's distribution), or name where " +
				"one " +
				"runs: its port is 15002 by default, and not that of Spark's master"
		}
		return failed(err, fix)
	}
	e.server = s
	begin := time.Now()
	if e.settings, err = s.Get(ctx, settingNames...); err != nil {
		return failed(err, "")
	}
	return checkup.Okf("%s answers in %v", e.address, time.Since(begin).Round(time.Millisecond))
}

// version checks the server's version.
func (e *exam) version(context.Context) checkup.Finding {
	v := e.server.Version()
	major, minor, ok := number(v)
	switch {
	case !ok:
		return checkup.Warn(fmt.Sprintf("the server calls its version %q", v), "Spark 3.5, 4.0, 4.1 and 4.3 are tested")
	case major < 3 || major == 3 && minor < 5:
		return checkup.Fail("Spark "+v+" is too old", "take Spark 4, or 3.5 at least")
	case major == 3:
		return checkup.Warn("Spark "+v+
			" works, with less: no progress of queries, no causes of errors, no end of sessions but by time",
			"take Spark 4")
	case major > 4:
		return checkup.Warn("Spark "+v+" is newer than this dl4go", "Spark 3.5, 4.0, 4.1 and 4.3 are tested")
	}
	return checkup.Okf("Spark %s", v)
}

// number parses the beginning of a version, such as 4.1.4.
func number(version string) (major, minor int, ok bool) {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return 0, 0, false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, 0, false
	}
	minor, err = strconv.Atoi(parts[1])
	return major, minor, err == nil
}

// encryption checks the server's certificate.
func (e *exam) encryption(ctx context.Context) checkup.Finding {
	if !e.address.TLS {
		if e.address.Loopback() {
			return checkup.Okf("none: the server is on this machine's loopback")
		}
		return checkup.Warn("none (--insecure): anyone on the network sees the data, and can run programs on the cluster",
			"put a proxy with TLS before the server, and add use_ssl=true to the connection string")
	}
	state, err := connect.Handshake(ctx, e.address, e.client)
	if err != nil {
		return failed(err, "")
	}
	return judgeCertificate(state, e.address.Token != "", time.Now())
}

// soon is the remaining validity below which a certificate should be renewed.
const soon = 14 * 24 * time.Hour

func judgeCertificate(state tls.ConnectionState, token bool, now time.Time) checkup.Finding {
	with := "without a token"
	if token {
		with = "with a token"
	}
	cert := state.PeerCertificates[0]
	text := fmt.Sprintf("%s, certificate of %s by %s until %s, %s", tls.VersionName(state.Version),
		cert.Subject.CommonName,
		cert.Issuer.CommonName, cert.NotAfter.Format(time.DateOnly), with)
	if cert.NotAfter.Sub(now) < soon {
		return checkup.Warn(text, "renew the certificate: sessions can't begin after that day")
	}
	return checkup.Okf("%s", text)
}
