package mesh

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

// Credentials are what a process of a job proves itself with: a certificate for its role, its private key, and the
// authority that vouches for all certificates of the job, and for nothing else. They are secret, and so are made to be
// delivered (as JSON, say) but not to be printed: formatting and logging show job and role only.
type Credentials struct {
	Job         gradshare.JobID `json:"job"`
	Role        Role            `json:"role"`
	Authority   []byte          `json:"authority"`   // X.509 in DER
	Certificate []byte          `json:"certificate"` // X.509 in DER
	Key         []byte          `json:"key"`         // PKCS #8 in DER
}

// String names job and role.
func (c Credentials) String() string {
	return fmt.Sprintf("credentials of a %s of job %x", c.Role, c.Job)
}

// Format prints as String does, whatever the verb.
func (c Credentials) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue is String.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Terms say what certificates are made for.
type Terms struct {
	Job gradshare.JobID
	// Life is how long they are valid: 7 days by default. Links that are up stay up; later no new ones can be made.
	Life time.Duration
}

// Pair is the credentials of a job: the coordinator's, and those that all its workers share.
type Pair struct{ Coordinator, Worker Credentials }

// skew is by how much clocks of a cluster may differ.
const skew = time.Hour

// Issue makes a job's credentials. The authority's private key is forgotten, so nobody can add to them.
func Issue(t Terms) (Pair, error) { return issue(t, time.Now()) }

func issue(t Terms, now time.Time) (Pair, error) {
	set(&t.Life, 7*24*time.Hour)
	if t.Life < 0 {
		return Pair{}, fmt.Errorf("mesh: certificates that live for %v", t.Life)
	}
	ca, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template := func(name string) *x509.Certificate {
		serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
		return &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{Organization: []string{"dl4go"}, CommonName: name},
			NotBefore: now.Add(-skew), NotAfter: now.Add(t.Life), BasicConstraintsValid: true}
	}
	root := template("job " + hex.EncodeToString(t.Job[:]))
	root.IsCA, root.MaxPathLenZero, root.KeyUsage = true, true, x509.KeyUsageCertSign
	authority, err := x509.CreateCertificate(rand.Reader, root, root, ca.Public(), ca)
	if err != nil {
		return Pair{}, err
	}
	if root, err = x509.ParseCertificate(authority); err != nil {
		return Pair{}, err
	}
	role := func(r Role, usage ...x509.ExtKeyUsage) (c Credentials, err error) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return c, err
		}
		leaf := template(string(r))
		leaf.KeyUsage, leaf.ExtKeyUsage, leaf.DNSNames = x509.KeyUsageDigitalSignature, usage, []string{certified(r, t.Job)}
		c = Credentials{Job: t.Job, Role: r, Authority: authority}
		if c.Certificate, err = x509.CreateCertificate(rand.Reader, leaf, root, key.Public(), ca); err != nil {
			return c, err
		}
		c.Key, err = x509.MarshalPKCS8PrivateKey(key)
		return c, err
	}
	coordinator, err1 := role(Coordinator, x509.ExtKeyUsageServerAuth)
	worker, err2 := role(Worker, x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth)
	return Pair{coordinator, worker}, errors.Join(err1, err2)
}

// certified is the name in a certificate: the role, and the job.
func certified(r Role, job gradshare.JobID) string {
	return string(r) + "." + hex.EncodeToString(job[:]) + ".dl4go"
}
