package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"onrush/app/setting"
)

const (
	listenPrefix = "whsec_"
	// listenSecretMin and listenSecretMax bound a secret in bytes, as Standard Webhooks do.
	listenSecretMin, listenSecretMax = 24, 64
)

// signingSecret returns the secret of the requests, and the file that has it, "" for none. The secret comes from
// --secret, from --secret-file, or from a file in the user's config folder. A file that doesn't exist is made with a
// new secret. Without a config folder the secret is new at each start.
func (c *listenCommand) signingSecret() (secret, file string, err error) {
	if c.Secret != "" {
		if !isSigningSecret(c.Secret) {
			return "", "", errors.New("--secret must be whsec_ and the base64 of 24 to 64 bytes")
		}
		return c.Secret, "", nil
	}
	if file = c.SecretFile; file == "" {
		folder, err := os.UserConfigDir()
		if err != nil {
			return newSigningSecret(), "", nil //nolint:nilerr // such as a container without a home
		}
		file = filepath.Join(folder, "onrush", "listen-secret")
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return "", "", fmt.Errorf("keep the secret: %w; pass --secret-file", err)
		}
	}
	secret, err = setting.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeSecretFile(file); err == nil {
			secret, err = setting.ReadFile(file)
		}
	}
	switch {
	case err != nil:
		return "", "", fmt.Errorf("keep the secret: %w", err)
	case !isSigningSecret(secret):
		return "", "", fmt.Errorf("%s must have whsec_ and the base64 of 24 to 64 bytes; "+
			"remove the file to get a new secret", file)
	}
	return secret, file, nil
}

func newSigningSecret() string {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	return listenPrefix + base64.StdEncoding.EncodeToString(raw)
}

func isSigningSecret(text string) bool {
	encoded, found := strings.CutPrefix(text, listenPrefix)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	return found && err == nil && len(raw) >= listenSecretMin && len(raw) <= listenSecretMax
}

// makeSecretFile makes a file with a new secret that only its owner can read, unless another process just did. No
// reader sees a part of it.
func makeSecretFile(path string) (err error) {
	made, err := os.CreateTemp(filepath.Dir(path), ".listen-secret-") // with mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(made.Name())) }()
	_, err = made.WriteString(newSigningSecret() + "\n")
	if err := errors.Join(err, made.Close()); err != nil {
		return err
	}
	if err := os.Link(made.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
