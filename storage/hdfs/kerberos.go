package hdfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	krb "github.com/jcmturner/gokrb5/v8/client"
	"github.com/jcmturner/gokrb5/v8/config"
	"github.com/jcmturner/gokrb5/v8/credentials"
	"github.com/jcmturner/gokrb5/v8/keytab"
)

// kerberos returns a client with the tickets of the user's credentials cache or, without valid tickets, with those
// that the user's keytab gets.
func (o Options) kerberos() (*krb.Client, error) {
	conf, err := config.Load(cmp.Or(o.Kerberos, "/etc/krb5.conf"))
	if err != nil {
		err = fmt.Errorf("the Kerberos configuration can't be read: %w (KRB5_CONFIG names another file)", err)
	}
	name := strings.TrimPrefix(o.Keytab, "FILE:")
	cache, none := o.tickets()
	switch {
	case none != nil && name == "":
		return nil, none
	case err != nil:
		return nil, err
	case none == nil:
		return krb.NewFromCCache(cache, conf)
	}
	return fromKeytab(name, conf)
}

// tickets returns the credentials cache.
func (o Options) tickets() (*credentials.CCache, error) {
	path, ok := strings.CutPrefix(o.Tickets, "FILE:")
	if kind, _, other := strings.Cut(path, ":"); !ok && other && !strings.ContainsAny(kind, `/\`) && len(kind) > 1 {
		return nil, fmt.Errorf("KRB5CCNAME is %s: only credentials caches in files can be read; kinit -c FILE writes one",
			path)
	}
	if path == "" {
		path = fmt.Sprintf("/tmp/krb5cc_%d", os.Getuid())
	}
	cache, err := trusting("credentials cache",
		func() (*credentials.CCache, error) { return credentials.LoadCCache(path) })
	if err != nil {
		return nil, fmt.Errorf("there is no ticket in %s: %w; kinit gets one", path, err)
	}
	principal := cache.GetClientPrincipalName().PrincipalNameString() + "@" + cache.GetClientRealm()
	var until time.Time
	for _, c := range cache.GetEntries() {
		if strings.HasPrefix(c.Server.PrincipalName.PrincipalNameString(), "krbtgt/") && c.EndTime.After(until) {
			until = c.EndTime
		}
	}
	switch {
	case until.IsZero():
		return nil, fmt.Errorf("%s has no ticket of %s that gets others: kinit gets one", path, principal)
	case until.Before(time.Now()):
		return nil, fmt.Errorf("the ticket of %s in %s was good until %s: kinit gets a new one", principal, path,
			until.Local().Format(time.DateTime))
	}
	return cache, nil
}

// fromKeytab gets a ticket for the keytab's first principal.
func fromKeytab(path string, conf *config.Config) (*krb.Client, error) {
	kt, err := trusting("keytab", func() (*keytab.Keytab, error) { return keytab.Load(path) })
	if err == nil && len(kt.Entries) == 0 {
		err = errors.New("it has no key")
	}
	if err != nil {
		return nil, fmt.Errorf("the keytab %s (KRB5_CLIENT_KTNAME) can't be read: %w", path, err)
	}
	p := kt.Entries[0].Principal
	// Active Directory does not support FAST
	c := krb.NewWithKeytab(strings.Join(p.Components, "/"), p.Realm, kt, conf, krb.DisablePAFXFAST(true))
	if err := c.Login(); err != nil {
		return nil, fmt.Errorf("no ticket for %s with the keytab %s (KRB5_CLIENT_KTNAME): %s", p, path,
			kerberosReason(err.Error()))
	}
	return c, nil
}

// kerberosReason returns the library's error in one line and without its chain of causes.
func kerberosReason(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	for _, known := range []struct{ code, says string }{
		{"KDC_ERR_S_PRINCIPAL_UNKNOWN",
			"the Kerberos server knows no service of that name: dfs.namenode.kerberos.principal may be wrong"},
		{"KDC_ERR_C_PRINCIPAL_UNKNOWN", "the Kerberos server doesn't know the user"},
		{"PREAUTH_FAILED", "the key is wrong: the password may have changed since"},
		{"KRB_AP_ERR_SKEW", "the clock of this machine is not that of the Kerberos server: set it"},
		{"KRB_AP_ERR_TKT_EXPIRED", "the ticket has expired: kinit gets a new one"},
		{"FATAL_UNAUTHORIZED", "it refuses the ticket, which is for the service that dfs.namenode.kerberos.principal names"},
	} {
		if strings.Contains(text, known.code) {
			return known.says + " (" + known.code + ")"
		}
	}
	if _, why, ok := strings.Cut(text, "error sending to a KDC: "); ok {
		return "the Kerberos server can't be reached: " + why
	}
	return text
}

// kerberosLimit is how long a Kerberos server is asked again that does not answer.
const kerberosLimit = time.Minute

// whileSilent calls ask, which may need a ticket, again while the Kerberos server does not answer. The library gives
// the server 5 s, once.
func whileSilent(ctx context.Context, ask func() error) error {
	for until := time.Now().Add(kerberosLimit); ; {
		err := ask()
		if err == nil || !silent(err.Error()) || time.Now().After(until) || pause(ctx, standbyInterval) != nil {
			return err
		}
	}
}

// silent reports whether a text is the library's error about a Kerberos server that did not answer in time, or that of
// kerberosReason.
func silent(text string) bool {
	return strings.Contains(text, "i/o timeout") &&
		(strings.Contains(text, "error sending to a KDC: ") || strings.Contains(text, "the Kerberos server can't be reached"))
}

// trusting calls load, which panics on a malformed file, and turns the panic into an error.
func trusting[T any](what string, load func() (T, error)) (t T, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("it is no " + what + ", or a broken one")
		}
	}()
	return load()
}

func systemUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.Username[strings.LastIndex(u.Username, `\`)+1:] // without a Windows domain
}
