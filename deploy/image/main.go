// Image fills a folder with what the image has beside the program: in root the certificates of authorities and the
// names of users, and data, which the image gives to the user that the program runs as.
package main

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user has the number that images without a distribution give to theirs. Kubernetes compares numbers, not names.
const (
	users  = "root:x:0:0:root:/:/sbin/nologin\nnobody:x:65532:65532:nobody:/data:/sbin/nologin\n"
	groups = "root:x:0:\nnobody:x:65532:\n"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: image <folder>")
	}
	if err := fill(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// fill writes the files into a folder. They have the same bytes on every machine: the version of the certificates is
// the one in go.mod.
func fill(folder string) error {
	if err := os.MkdirAll(filepath.Join(folder, "data"), 0o700); err != nil { //nolint:gosec // the caller names it
		return err
	}
	for name, content := range map[string][]byte{
		"etc/passwd": []byte(users), "etc/group": []byte(groups), "etc/ssl/certs/ca-certificates.crt": authorities(),
	} {
		file := filepath.Join(folder, "root", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // the program reads it as nobody
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil { //nolint:gosec // as above
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return nil
}

// authorities returns the roots that Mozilla trusts without a condition, in PEM, which can't express conditions.
func authorities() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer takes all
		}
	}
	return out.Bytes()
}
