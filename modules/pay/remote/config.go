package remote

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"onrush/modules/pay/gateway"
	"onrush/modules/sign"
)

// Config is where a gateway is, and the secrets that it shares with the program.
type Config struct {
	URL     string
	Secrets sign.Secrets // whsec_…: all sign, and all are accepted
	Test    bool         // no money moves
}

// test is the word of a gateway that moves no money.
const test = "test"

// maxSecrets bounds the secrets of a gateway: each call has a signature of each.
const maxSecrets = 4

// Parse reads a setting: an address, the secrets, separated by semicolons, and perhaps the word test, with spaces
// between them. Errors don't have the secrets.
func Parse(name, text string) (Config, error) {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 3 || len(words) == 3 && words[2] != test {
		return Config{}, fmt.Errorf("gateway %s: its value must be an address, a space and its secrets, and perhaps a "+
			"space and test", name)
	}
	c := Config{
		URL: strings.TrimRight(words[0], "/"), Secrets: sign.ParseSecrets(words[1]), Test: len(words) == 3,
	}
	if err := gateway.CheckBaseURL("gateway "+name, c.URL); err != nil {
		return Config{}, err
	}
	if len(c.Secrets) > maxSecrets {
		return Config{}, fmt.Errorf("gateway %s: it has %d secrets, but may have %d", name, len(c.Secrets), maxSecrets)
	}
	_, err := keysOf(c.Secrets)
	if err != nil {
		return Config{}, fmt.Errorf("gateway %s: %w", name, err)
	}
	return c, nil
}

// The bounds of a secret, in bytes, as in the standard.
const leastSecret, mostSecret = 24, 64

// keysOf returns the keys of secrets.
func keysOf(secrets sign.Secrets) ([]*webhooks.Webhook, error) {
	keys := make([]*webhooks.Webhook, 0, len(secrets))
	for i, secret := range secrets {
		text, prefixed := strings.CutPrefix(secret, "whsec_")
		raw, err := base64.StdEncoding.DecodeString(text)
		if !prefixed || err != nil || len(raw) < leastSecret || len(raw) > mostSecret {
			return nil, fmt.Errorf("secret %d must be whsec_ and the base64 of 24 to 64 bytes", i+1)
		}
		key, err := webhooks.NewWebhook(secret)
		if err != nil {
			return nil, errors.New("a secret can't be used")
		}
		keys = append(keys, key)
	}
	return keys, nil
}
