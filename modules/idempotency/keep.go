package idempotency

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"onrush/modules/problem"
	"onrush/modules/sign"
)

type claimKey struct{}

// ID returns an id of 22 characters for what the request of ctx makes, the same one each time the request runs, also at
// an instance that has other secrets. Without an Idempotency-Key it is "".
func ID(ctx context.Context) string {
	c, ok := ctx.Value(claimKey{}).(*Claim)
	if !ok {
		return ""
	}
	return sign.Digest(16, "id", c.request.Caller, c.request.Route, c.request.Key, c.digest)
}

// With returns a context in which Keep stores the answer of the claim's request.
func (c *Claim) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// Keep stores the answer of an accepted request in the transaction that carries it out: a status, and a body as JSON.
// If another request has taken over the claim, the error is unavailable, and the transaction must not commit. Without
// an Idempotency-Key Keep does nothing.
func Keep(ctx context.Context, tx *sqlx.Tx, status int, body any) error {
	c, ok := ctx.Value(claimKey{}).(*Claim)
	if !ok {
		return nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write the answer of an Idempotency-Key: %w", err)
	}
	sealed, err := c.store.seal(c.request, Answer{Status: status, Body: text})
	if err != nil {
		return err
	}
	const update = `UPDATE idempotency_keys SET status = ?, answer = ? WHERE key_id = ? AND claim = ?`
	switch kept, err := execRow(ctx, tx, update, status, sealed, c.id, c.token); {
	case err != nil:
		return fmt.Errorf("keep the answer of an Idempotency-Key: %w", err)
	case !kept:
		return problem.Unavailable(nil, "Another request with this Idempotency-Key is being carried out.")
	}
	return nil
}

// carriedOut is the status of a request that was carried out, and whose answer is not known.
const carriedOut = 1

// KeepDone stores in the transaction of an accepted request that it was carried out. It is Keep for a handler that
// answers with what it reads afterwards: a repetition of the request finds WasCarriedOut, and only reads.
func KeepDone(ctx context.Context, tx *sqlx.Tx) error { return Keep(ctx, tx, carriedOut, nil) }

// Drop makes the Idempotency-Key of an accepted request be forgotten with its answer, so that a repetition is carried
// out again. It is for a request that was carried out in part only, and has no Keep.
func Drop(ctx context.Context) {
	if c, ok := ctx.Value(claimKey{}).(*Claim); ok {
		c.dropped = true
	}
}

type carriedOutKey struct{}

// WasCarriedOut reports whether an earlier request with the Idempotency-Key of ctx was carried out, and not answered.
func WasCarriedOut(ctx context.Context) bool { return ctx.Value(carriedOutKey{}) != nil }
