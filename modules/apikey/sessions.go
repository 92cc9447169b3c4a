package apikey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/problem"
)

// Session is a sign-in of an operator: a key with a name of its own, which expires and may be revoked like others.
type Session struct {
	User      string
	Scope     api.Scope
	Shop      string // "" for all
	ExpiresAt api.Millis
}

// SignIn makes the key of a session and returns its secret. The 51st of an operator ends the oldest.
func (s *Service) SignIn(ctx context.Context, session Session) (secret string, err error) {
	key, err := s.Create(ctx, Request{
		Scope: session.Scope, Shop: session.Shop, ExpiresAt: session.ExpiresAt, By: session.User,
		signedIn: session.User,
	})
	return key.Secret, err
}

// SignOut revokes the key of a session. A secret of none is unauthorized.
func (s *Service) SignOut(ctx context.Context, secret, by string) error {
	var id oplog.ID
	const query = `SELECT key_id FROM operator_keys WHERE hash = ? AND signed_in <> ''`
	err := s.DB.Write.GetContext(ctx, &id, query, hashOf(secret))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return problem.Errorf(problem.CodeUnauthorized, "The session has ended.")
	case err != nil:
		return fmt.Errorf("look up the session: %w", err)
	}
	return s.Revoke(ctx, id, by)
}
