package main

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

type keysCommand struct {
	List   keysListCommand   `cmd:"" default:"withargs" help:"List the keys."`
	Create keysCreateCommand `cmd:"" help:"Make a key, and print its secret, which is shown only then."`
	Revoke keysRevokeCommand `cmd:"" help:"Revoke a key for good."`
}

const keysPath = "/admin/api/v1/keys"

type keysListCommand struct{ listing }

// Run prints the keys, newest first.
func (c *keysListCommand) Run(ctx context.Context, out io.Writer) error {
	return c.list(ctx, out, keysPath, url.Values{},
		"KEY=key_id, NAME=name, SCOPE=scope, SHOP=shop_id, CREATED=created_at, EXPIRES=expires_at, "+
			"LAST USED=last_used_at, REVOKED=revoked_at")
}

type keysCreateCommand struct {
	calling
	Name  string        `arg:"" help:"Name of the key, which the operators' log shows."`
	Scope string        `arg:"" enum:"admin,till,support,catalogue,read,events,payments" help:"${enum}."`
	Shop  string        `help:"Id of the only shop that it sees and changes. Default: all shops."`
	For   time.Duration `help:"How long it is valid. 0: until it is revoked."`
}

// Validate refuses a time that is over.
func (c *keysCreateCommand) Validate() error {
	if c.For < 0 {
		return errors.New("--for must be 0 or more")
	}
	return nil
}

// Run makes a key. With the text output, standard output has the secret only.
func (c *keysCreateCommand) Run(ctx context.Context, out io.Writer) error {
	body := map[string]any{"name": c.Name, "scope": c.Scope}
	if c.Shop != "" {
		body["shop_id"] = c.Shop
	}
	if c.For > 0 {
		body["expires_at"] = time.Now().Add(c.For).UTC()
	}
	var made json.RawMessage
	err := c.client().Call(ctx, http.MethodPost, keysPath, crand.Text(), body, &made)
	return c.printSecret(out, made, err)
}

type keysRevokeCommand struct {
	remote
	Key string `arg:"" help:"Id of the key."`
}

// Run revokes a key.
func (c *keysRevokeCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.client().Call(ctx, http.MethodDelete, keysPath+"/"+url.PathEscape(c.Key), "", nil, nil); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "Key %s is revoked.\n", c.Key)
	return err
}
