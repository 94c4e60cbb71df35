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
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// Credentials are what a process of a job proves itself with: a certificate for its role, its private key, and the
// authority that vouches for all certificates of the job, and for nothing else. They are secret, and so are made to be
// delivered (as JSON, say) but not to be printed: formatting and logging show job and role only.
type Credentials struct {
	Job         coordination.JobID `json:"job"`
	Role        Role               `json:"role"`
	Authority   []byte             `json:"authority"`   // X.509 in DER
	Certificate []byte             `json:"certificate"` // X.509 in DER
	Key         []byte             `json:"key"`         // PKCS #8 in DER
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
	Job coordination.JobID
	// Life is how long they are valid: 7 days by default. Links that are up stay up; later no new ones can be made.
	Life time.Duration
}

// Pair is the credentials of a job: the coordinator's, and those that all its workers share.
type Pair struct{ Coordinator, Worker Credentials }

// skew is by how much clocks of a cluster may differ.
const skew = time.Hour

// Issue makes a job's credentials. The authority's private key is forgotten, so nobody can add to them.
func Issue(t Terms) (Pair, error) {
	set(&t.Life, 7*24*time.Hour)
	if t.Life < 0 {
		return Pair{}, fmt.Errorf("mesh: certificates that live for %v", t.Life)
	}
	now := time.Now()
	a, err := newAuthority(t.Job, now.Add(-skew), now.Add(t.Life))
	if err != nil {
		return Pair{}, err
	}
	coordinator, err1 := a.certify(Coordinator, a.root.NotBefore, a.root.NotAfter)
	worker, err2 := a.certify(Worker, a.root.NotBefore, a.root.NotAfter)
	return Pair{coordinator, worker}, errors.Join(err1, err2)
}

// authority vouches for the certificates of a job.
type authority struct {
	job  coordination.JobID
	key  *ecdsa.PrivateKey
	root *x509.Certificate
}

func newAuthority(job coordination.JobID, from, to time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	root := template("job "+hex.EncodeToString(job[:]), from, to)
	root.IsCA, root.MaxPathLenZero, root.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, root, root, key.Public(), key)
	if err != nil {
		return nil, err
	}
	root, err = x509.ParseCertificate(der)
	return &authority{job, key, root}, err
}

func template(name string, from, to time.Time) *x509.Certificate {
	return &x509.Certificate{Subject: pkix.Name{Organization: []string{"dl4go"}, CommonName: name},
		NotBefore: from, NotAfter: to, BasicConstraintsValid: true}
}

// certify makes the credentials of a role. Workers dial, and may be dialled; the coordinator only is.
func (a *authority) certify(r Role, from, to time.Time) (Credentials, error) {
	c := Credentials{Job: a.job, Role: r, Authority: a.root.Raw}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, err
	}
	leaf := template(string(r), from, to)
	leaf.KeyUsage, leaf.DNSNames = x509.KeyUsageDigitalSignature, []string{certified(r, a.job)}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if r == Worker {
		leaf.ExtKeyUsage = append(leaf.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if c.Certificate, err = x509.CreateCertificate(rand.Reader, leaf, a.root, key.Public(), a.key); err != nil {
		return c, err
	}
	c.Key, err = x509.MarshalPKCS8PrivateKey(key)
	return c, err
}

// certified is the name in a certificate: the role, and the job.
func certified(r Role, job coordination.JobID) string {
	return string(r) + "." + hex.EncodeToString(job[:]) + ".dl4go"
}
