package oidc

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"onrush/web/jwks"
)

// sessionFor is how long a session lasts.
const sessionFor = 8 * time.Hour

// Config is an issuer and how its claims are read.
type Config struct {
	// Issuer is the URL that discovery begins with and that ID tokens name.
	Issuer string
	// ClientID and Secret are of this program; the secret of a public client is empty.
	ClientID, Secret string
	// RoleClaim has the name of an operator's scope: a claim, or a path such as realm_access.roles; a text or a list of
	// texts. Default role.
	RoleClaim string
	// ShopClaim has the id of the operator's shop, or * for all shops; every operator needs it then. Default none: all
	// operators are for all shops.
	ShopClaim string
	// UserClaim has the name of the operator. Default sub.
	UserClaim string
	// Scope is requested beside openid, such as "profile email". Default none.
	Scope string
	// Console is where operators' browsers find the program, without a slash at the end, such as
	// https://shop.example/sales.
	Console *url.URL
}

// ParseConfig reads an issuer as it is written in the settings, such as https://login.example/realm?client_id=console.
// publicURL is where browsers find the program, unless the text has a console_url.
func ParseConfig(text, secret, publicURL string) (Config, error) {
	u, err := url.Parse(text)
	if err != nil || !jwks.IsPrivate(u) || u.User != nil || u.Fragment != "" {
		return Config{}, errors.New("must be the https URL of an issuer, with a client_id: " +
			"https://login.example/realm?client_id=…")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Config{}, errors.New("has a query that can't be read")
	}
	known := []string{"client_id", "role_claim", "shop_claim", "user_claim", "scope", "console_url"}
	for name, values := range query {
		if !slices.Contains(known, name) || len(values) != 1 || values[0] == "" {
			return Config{}, fmt.Errorf("has %s, but must have each of %s at most once, with a value", name,
				strings.Join(known, ", "))
		}
	}
	console, err := url.Parse(strings.TrimRight(cmp.Or(query.Get("console_url"), publicURL), "/"))
	if err != nil || !jwks.IsPrivate(console) || console.RawQuery != "" || console.Fragment != "" {
		return Config{}, errors.New("needs an ONRUSH_PUBLIC_URL, or a console_url, that is https: " +
			"the issuer sends operators back there")
	}
	if query.Get("client_id") == "" {
		return Config{}, errors.New("has no client_id")
	}
	u.RawQuery = ""
	return Config{
		Issuer: u.String(), ClientID: query.Get("client_id"), Secret: secret, Scope: query.Get("scope"),
		RoleClaim: cmp.Or(query.Get("role_claim"), "role"), ShopClaim: query.Get("shop_claim"),
		UserClaim: cmp.Or(query.Get("user_claim"), "sub"), Console: console,
	}, nil
}

// Host is the issuer's host, which people know.
func (c *Config) Host() string {
	u, _ := url.Parse(c.Issuer) // ParseConfig did
	return u.Host
}

// redirectURI is where the issuer sends the code.
func (c *Config) redirectURI() string { return c.Console.String() + "/admin/login/callback" }

// Origin is the origin of the console.
func (c *Config) Origin() string { return c.Console.Scheme + "://" + c.Console.Host }
