package apikey

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/aged"
	"onrush/modules/api"
	"onrush/modules/loop"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// trustFor is how old a copy of a key may be while SQL is unavailable: an instance that can't see whether a key is
	// revoked refuses it soon.
	trustFor = time.Minute
	// usedEvery is how often the last use of a key is written at most.
	usedEvery = time.Minute
	// flushEvery is how often the uses of keys are written.
	flushEvery = 10 * time.Second
)

// Verifier checks the keys of requests. It is safe for concurrent use.
type Verifier struct {
	db    *sqldb.DB
	clock func() time.Time
	now   func() time.Time
	log   *slog.Logger
	keys  *aged.Keyed[known] // by hash

	mu   sync.Mutex
	used map[oplog.ID]int64 // when keys were used, in ms, until it is written; at most one entry per key
}

// known is a key as it was when a read from SQL began.
type known struct {
	Key
	Hash string `db:"hash"`
	asOf time.Time
}

// NewVerifier returns a Verifier of the keys in d.DB.
func NewVerifier(d Deps) *Verifier {
	v := &Verifier{db: d.DB, clock: d.Clock, now: d.Now, log: d.Log, used: map[oplog.ID]int64{}}
	v.keys = aged.NewKeyed("keys", d.Now, v.load)
	return v
}

// load reads keys by their hashes, which are hex.
func (v *Verifier) load(ctx context.Context, hashes []string) (map[string]known, error) {
	asOf := v.now()
	query, args, err := sqlx.In(`SELECT `+keyColumns+`, hash FROM operator_keys WHERE hash IN (?)`, hashes)
	if err != nil {
		return nil, fmt.Errorf("select keys: %w", err)
	}
	var rows []known
	if err := v.db.Read.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("select keys: %w", err)
	}
	keys := make(map[string]known, len(rows))
	for _, k := range rows {
		k.asOf = asOf
		k.read()
		keys[k.Hash] = k
	}
	return keys, nil
}

// Verify returns the key that a secret is of. One that is unknown, revoked or expired is unauthorized. While SQL is
// unavailable, keys that were read within the last minute are valid, and others are unavailable.
func (v *Verifier) Verify(ctx context.Context, secret string) (Key, error) {
	if !isWhole(secret) {
		return Key{}, problem.Errorf(problem.CodeUnauthorized, "The key is not valid: it is incomplete or mistyped.")
	}
	k, found, err := v.keys.Get(ctx, hashOf(secret))
	now := v.clock().UnixMilli()
	switch {
	case err != nil:
		return Key{}, err
	case !found:
		return Key{}, problem.Errorf(problem.CodeUnauthorized, "The key is not valid.")
	case v.now().Sub(k.asOf).Abs() > trustFor:
		return Key{}, problem.Unavailable(nil, "Keys can't be checked at the moment.")
	case k.RevokedAt != 0:
		return Key{}, problem.Errorf(problem.CodeUnauthorized, "The key was revoked.")
	case k.ExpiresAt != 0 && now >= int64(k.ExpiresAt):
		return Key{}, problem.Errorf(problem.CodeUnauthorized, "The key has expired.")
	}
	if now-int64(k.UsedAt) >= usedEvery.Milliseconds() {
		v.mu.Lock()
		v.used[k.ID] = now
		v.mu.Unlock()
	}
	return k.Key, nil
}

// forget makes the next Verify read a key again.
func (v *Verifier) forget(hash string) { v.keys.Forget(hash) }

// Run writes when keys were used, until ctx ends.
func (v *Verifier) Run(ctx context.Context) {
	failures := loop.NewFailures(v.log, "the last uses of keys are not written", nil)
	loop.Run(ctx, flushEvery, failures, func(ctx context.Context) error {
		_, err := v.RunOnce(ctx)
		return err
	})
}

// RunOnce writes the uses since the last call, for each key at most one a minute over all instances, and returns how
// many it wrote. After an error they are forgotten: the next uses are written.
func (v *Verifier) RunOnce(ctx context.Context) (written int, err error) {
	v.mu.Lock()
	used := v.used
	v.used = map[oplog.ID]int64{}
	v.mu.Unlock()
	for id, ms := range used {
		err := v.db.InTx(ctx, func(tx *sqlx.Tx) error {
			const update = `UPDATE operator_keys SET used_ms = ? WHERE key_id = ? AND used_ms <= ?`
			res, err := tx.ExecContext(ctx, update, ms, id, ms-usedEvery.Milliseconds())
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			written += int(n)
			return err
		})
		if err != nil {
			return written, fmt.Errorf("write the last use of key %s: %w", id, err)
		}
	}
	return written, nil
}

// Actor returns the name under which a key acts, in the operators' log and elsewhere.
func (k *Key) Actor() string {
	if k.SignedIn != "" {
		return strings.Clone(k.SignedIn)
	}
	return api.KeyActor + strings.Clone(k.Name)
}

// Expiries select the keys that were revoked or expired before a time.
func Expiries(before time.Time) []sqldb.Expiry {
	ms := before.UnixMilli()
	return []sqldb.Expiry{{
		Table: "operator_keys", Key: []string{"key_id"},
		Where: "(revoked_ms <> 0 AND revoked_ms < ?) OR (expires_ms <> 0 AND expires_ms < ?)", Args: []any{ms, ms},
	}}
}
