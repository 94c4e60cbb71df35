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

// Credentials prove that a process belongs to a job: a certificate for its role, its private key, and the authority
// that signs all certificates of this job and no others. They are secret. They can be delivered (as JSON, for example),
// but formatting and logging show only job and role.
type Credentials struct {
	Job         coordination.JobID `json:"job"`
	Role        Role               `json:"role"`
	Authority   []byte             `json:"authority"`   // X.509 in DER
	Certificate []byte             `json:"certificate"` // X.509 in DER
	Key         []byte             `json:"key"`         // PKCS #8 in DER
}

// String names the job and the role.
func (c Credentials) String() string {
	return fmt.Sprintf("credentials of a %s of job %x", c.Role, c.Job)
}

// Format prints the same as String for every verb.
func (c Credentials) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue is the same as String.
func (c Credentials) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Terms are the job and the lifetime of certificates.
type Terms struct {
	Job coordination.JobID
	// Life is how long they are valid: 7 days by default. After that, existing links stay up, but no new ones can be
	// made.
	Life time.Duration
}

// Pair is the credentials of a job: the coordinator's, and those that all its workers share.
type Pair struct{ Coordinator, Worker Credentials }

// skew is the maximum difference between the clocks of a cluster.
const skew = time.Hour

// Issue makes a job's credentials. It discards the authority's private key, so no more can be issued.
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

// authority signs the certificates of a job.
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

// certify makes the credentials of a role. Workers dial and may be dialled; the coordinator is only dialled.
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

// certified returns the name in a certificate: the role and the job.
func certified(r Role, job coordination.JobID) string {
	return string(r) + "." + hex.EncodeToString(job[:]) + ".dl4go"
}
