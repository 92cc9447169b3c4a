package embedded

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Keyring holds the secrets of an embedded run. It outlives a restart, so tokens and paths do too.
type Keyring struct {
	JWT     string `json:"jwt"`     // signs tokens
	Path    string `json:"path"`    // signs order paths and confirmations
	Sandbox string `json:"sandbox"` // signs webhooks of the sandbox gateway: whsec_ and base64
}

// secretBytes is the length of a secret: as much as HMAC-SHA256 makes use of.
const secretBytes = 32

// Secrets reads the secrets in the data folder, or makes them.
func Secrets(dataDir string) (*Keyring, error) {
	if err := makeDir(dataDir); err != nil {
		return nil, err
	}
	path := filepath.Join(dataDir, "secrets.json")
	keys, err := readSecrets(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	made := &Keyring{JWT: secret(), Path: secret(), Sandbox: "whsec_" + secret()}
	err = writeSecrets(path, made)
	if errors.Is(err, fs.ErrExist) { // another process has written them meanwhile
		return readSecrets(path)
	}
	if err != nil {
		return nil, err
	}
	return made, nil
}

func secret() string {
	raw := make([]byte, secretBytes)
	_, _ = rand.Read(raw) // never fails
	return base64.StdEncoding.EncodeToString(raw)
}

// readSecrets never puts the content of a damaged file into its error.
func readSecrets(path string) (*Keyring, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the path is the operator's
	if err != nil {
		return nil, fmt.Errorf("read the secrets: %w", err)
	}
	var keys Keyring
	if err := json.Unmarshal(raw, &keys); err != nil || keys.JWT == "" || keys.Path == "" || keys.Sandbox == "" {
		return nil, fmt.Errorf("read the secrets: %s is damaged; remove it to have new ones made", path)
	}
	return &keys, nil
}

// writeSecrets creates the file with all its content at once, and never replaces another.
func writeSecrets(path string, keys *Keyring) error {
	raw, err := json.MarshalIndent(keys, "", "  ") //nolint:gosec // keeping them is what the file is for
	if err != nil {
		return fmt.Errorf("write the secrets: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "secrets-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the secrets: %w", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(append(raw, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the secrets: %w", err)
	}
	err = os.Link(f.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write the secrets: %w", err)
	}
	return nil
}
