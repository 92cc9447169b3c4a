package apikey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

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

// revokeOldest ends the n oldest sessions of the operator who signs in by key.
func (s *Service) revokeOldest(ctx context.Context, tx *sqlx.Tx, key Key, n int) error {
	var ids []oplog.ID
	const query = `SELECT key_id FROM operator_keys WHERE signed_in = ? AND revoked_ms = 0 AND expires_ms > ?
		ORDER BY key_id LIMIT ?`
	if err := tx.SelectContext(ctx, &ids, query, key.SignedIn, int64(key.CreatedAt), n); err != nil {
		return fmt.Errorf("select the oldest sessions: %w", err)
	}
	for _, id := range ids {
		if _, err := s.revoke(ctx, tx, id, key.SignedIn); err != nil {
			return err
		}
	}
	return nil
}
