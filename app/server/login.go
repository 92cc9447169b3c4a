package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onrush/modules/api"
	"onrush/modules/apikey"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/web"
	"onrush/web/oidc"
)

// login returns where operators sign in; nil without ONRUSH_OIDC.
func (c *Config) login() (*oidc.Config, error) {
	if c.OIDC == "" {
		return nil, nil //nolint:nilnil // operators have keys and tokens
	}
	cfg, err := oidc.ParseConfig(c.OIDC, c.OIDCSecret, c.publicURL())
	if err != nil {
		return nil, fmt.Errorf("ONRUSH_OIDC %w", err)
	}
	return &cfg, nil
}

func (c *Config) checkOIDC() error {
	switch {
	case c.OIDC == "" && c.OIDCSecret != "":
		return errors.New("ONRUSH_OIDC_SECRET is set, but ONRUSH_OIDC, its issuer, is not")
	case c.OIDC != "" && c.Authenticate != nil:
		return errors.New("ONRUSH_OIDC is set, but Authenticate of Config tells who calls")
	}
	_, err := c.login()
	return err
}

// Issuer returns the issuer at which operators sign in, for the checks before a start; nil without one.
func (c *Config) Issuer(p Parts) *oidc.Issuer {
	cfg, err := c.login()
	if err != nil || cfg == nil {
		return nil
	}
	return oidc.NewIssuer(cfg, p.Now, p.Log)
}

// registerLogin adds the routes by which operators sign in, if they may.
func (s *Server) registerLogin() error {
	cfg, err := s.cfg.login()
	if err != nil || cfg == nil {
		return err
	}
	login := oidc.NewHTTPLogin(oidc.Deps{
		Config: cfg, Issuer: oidc.NewIssuer(cfg, s.parts.Now, s.parts.Log), Secrets: s.cfg.pathSecrets(),
		Sessions: sessions{s.modules.keys, oplog.NewRecorder(s.clock.Now, s.parts.random32)},
		Clock:    s.clock.Now, Now: s.parts.Now, Log: s.parts.Log,
	})
	s.App.Get("/admin/login", within10s, login.Begin)
	s.App.Get("/admin/login/callback", within10s, login.Callback)
	s.App.Post("/admin/logout", s.Auth.RequireOperator(), s.modules.oplog.Identify, web.NoBody, login.Logout)
	return nil
}

// within10s is longer than all calls of the issuer together.
var within10s = web.Within(10 * time.Second)

// sessions keeps the sessions of operators as keys, and the operators' log has each sign-in.
type sessions struct {
	keys     *apikey.Service
	recorder *oplog.Recorder
}

// SignIn is oidc.Sessions.
func (s sessions) SignIn(
	ctx context.Context, who web.Identity, clientIP string, until time.Time,
) (secret string, err error) {
	secret, err = s.keys.SignIn(s.recorder.By(ctx, who.User, clientIP), apikey.Session{
		User: who.User, Scope: who.Scope, Shop: who.Shop, ExpiresAt: api.Millis(until.UnixMilli()),
	})
	if err != nil && !problem.Is(err) {
		err = problem.Unavailable(err, "Nobody can sign in right now.")
	}
	return secret, err
}

// SignOut is oidc.Sessions.
func (s sessions) SignOut(ctx context.Context, secret, by string) error {
	return s.keys.SignOut(ctx, secret, by)
}
