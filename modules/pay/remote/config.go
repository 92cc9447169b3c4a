package remote

import (
	"fmt"
	"strings"

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
	if _, err := sign.NewWebhookKeys(c.Secrets); err != nil {
		return Config{}, fmt.Errorf("gateway %s: %w", name, err)
	}
	return c, nil
}
