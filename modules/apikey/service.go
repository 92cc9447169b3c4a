package apikey

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// maxKeys bounds the keys that are neither revoked nor expired, roughly: creates that run at once don't count each
// other.
const maxKeys = 1000

// maxSessions bounds the sessions of one operator likewise: another one ends the oldest, so that nobody is locked out.
const maxSessions = 50

// idTries is how often a key is stored with another id if its id is taken.
const idTries = 5

// Key is a key as operators see it.
type Key struct {
	ID    oplog.ID  `json:"key_id" db:"key_id"`
	Name  string    `json:"name" db:"name"`
	Scope api.Scope `json:"scope" db:"scope"`
	Shop  string    `json:"shop_id,omitempty" db:"shop_id"` // the only shop that it sees; "" for all
	// Secret is set only in the answer that made the key.
	Secret    string     `json:"secret,omitempty" db:"-"`
	CreatedAt api.Millis `json:"created_at" db:"created_ms"`
	CreatedBy string     `json:"created_by" db:"created_by"`
	ExpiresAt api.Millis `json:"expires_at,omitzero" db:"expires_ms"` // 0: never
	SignedIn  string     `json:"signed_in,omitempty" db:"signed_in"`  // whose session the key is; "" for other keys
	UsedAt    api.Millis `json:"last_used_at,omitzero" db:"used_ms"`  // to the minute
	RevokedAt api.Millis `json:"revoked_at,omitzero" db:"revoked_ms"`
	RevokedBy string     `json:"revoked_by,omitempty" db:"revoked_by"`
}

const keyColumns = `key_id, name, scope, shop_id, signed_in, created_ms, created_by, expires_ms, used_ms, revoked_ms,
	revoked_by`

// Request is a key to make. By is the operator, whose own key expires at Until, 0 for never.
type Request struct {
	Name      string
	Scope     api.Scope
	Shop      string
	ExpiresAt api.Millis
	By        string
	Until     api.Millis

	signedIn string
}

// ofShop begins the scope of a key of one shop in SQL. Older versions, which don't know shops, then refuse the key
// everywhere.
const ofShop = "shop "

func storedScope(k Key) string {
	if k.Shop == "" {
		return string(k.Scope)
	}
	return ofShop + string(k.Scope)
}

// read turns the scope that SQL has into the scope of the API.
func (k *Key) read() { k.Scope = api.Scope(strings.TrimPrefix(string(k.Scope), ofShop)) }

// Service makes, lists and revokes keys.
type Service struct {
	Deps
	verifier *Verifier
	maxKeys  int
}

// NewService returns the keys in d.DB. The verifier learns at once of keys that are revoked here.
func NewService(d Deps, verifier *Verifier) *Service { return &Service{d, verifier, maxKeys} }

// Create makes a key and returns it with its Secret, which nothing else shows. A name that another key has, and more
// than 1,000 keys, are a conflict.
func (s *Service) Create(ctx context.Context, req Request) (key Key, err error) {
	now := s.Clock()
	switch {
	case req.ExpiresAt != 0 && int64(req.ExpiresAt) <= now.UnixMilli():
		return key, problem.Invalid("expires_at", "must be in the future")
	case req.Until != 0 && (req.ExpiresAt == 0 || req.ExpiresAt > req.Until):
		return key, problem.Invalid("expires_at",
			"must not be later than %s, when your own key expires", req.Until)
	}
	if req.Shop != "" && req.Scope == api.ScopeEvents {
		return key, problem.Invalid("shop_id", "can't be given with the scope events: its routes are of all shops")
	}
	secret, err := newSecret(s.Secrets)
	if err != nil {
		return key, err
	}
	for range idTries {
		key = Key{
			ID: oplog.NewID(now, s.Random()), Name: req.Name, Scope: req.Scope, Shop: req.Shop,
			CreatedAt: api.Millis(now.UnixMilli()), CreatedBy: req.By, ExpiresAt: req.ExpiresAt, SignedIn: req.signedIn,
		}
		if key.SignedIn != "" {
			key.Name = "sign-in " + key.ID.String()
		}
		err = s.DB.InTx(ctx, func(tx *sqlx.Tx) error { return s.make(ctx, tx, key, secret) })
		if !sqldb.IsDuplicate(err) {
			break
		}
		// Another key has the name or the id.
		if err = s.refuseTaken(ctx, req.Name); err != nil {
			break
		}
		err = errTaken
	}
	if err != nil {
		return Key{}, err
	}
	key.Secret = secret
	return key, nil
}

var errTaken = errors.New("each id was taken")

// make makes a key in a transaction.
func (s *Service) make(ctx context.Context, tx *sqlx.Tx, key Key, secret string) error {
	if err := s.insert(ctx, tx, key, hashOf(secret)); err != nil {
		return err
	}
	err := oplog.Record(ctx, tx, oplog.Entry{Action: "key.created", On: "key:" + key.ID.String(), After: key})
	if err != nil {
		return err
	}
	key.Secret = secret
	return idempotency.Keep(ctx, tx, http.StatusCreated, key)
}

func (s *Service) insert(ctx context.Context, tx *sqlx.Tx, key Key, hash string) error {
	var keys int
	const count = `SELECT COUNT(*) FROM operator_keys WHERE revoked_ms = 0 AND (expires_ms = 0 OR expires_ms > ?)
		AND signed_in = ?`
	if err := tx.GetContext(ctx, &keys, count, int64(key.CreatedAt), key.SignedIn); err != nil {
		return fmt.Errorf("count keys: %w", err)
	}
	switch {
	case key.SignedIn != "" && keys >= maxSessions:
		if err := s.revokeOldest(ctx, tx, key, keys-maxSessions+1); err != nil {
			return err
		}
	case keys >= s.maxKeys:
		return problem.Errorf(problem.CodeConflict, "There are %d keys already; revoke some.", keys)
	}
	const insert = `INSERT INTO operator_keys (key_id, hash, name, scope, shop_id, signed_in, created_ms, created_by,
		expires_ms, used_ms, revoked_ms, revoked_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '')`
	if _, err := tx.ExecContext(ctx, insert, key.ID, hash, key.Name, storedScope(key), key.Shop, key.SignedIn,
		int64(key.CreatedAt), key.CreatedBy, int64(key.ExpiresAt)); err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	return nil
}

// refuseTaken refuses a name that a key has.
func (s *Service) refuseTaken(ctx context.Context, name string) error {
	var taken int
	const query = `SELECT COUNT(*) FROM operator_keys WHERE name = ?`
	if err := s.DB.Write.GetContext(ctx, &taken, query, name); err != nil {
		return fmt.Errorf("look up the name of a key: %w", err)
	}
	if taken > 0 {
		return problem.Errorf(problem.CodeConflict,
			"There is a key with this name; names of revoked keys are kept as long as the operators' log.")
	}
	return nil
}

// List lists all keys, newest first, by cursor.
func (s *Service) List(ctx context.Context, before oplog.ID, size int) (api.List[Key], error) {
	list := api.List[Key]{PageSize: size}
	var w sqldb.Where
	w.AndIf(before != 0, "key_id < ?", before)
	query := `SELECT ` + keyColumns + ` FROM operator_keys` + w.String() + ` ORDER BY key_id DESC LIMIT ?`
	if err := s.DB.Read.SelectContext(ctx, &list.Items, query, w.Args(size+1)...); err != nil {
		return list, fmt.Errorf("select keys: %w", err)
	}
	for i := range list.Items {
		list.Items[i].read()
	}
	if len(list.Items) > size {
		list.Items = list.Items[:size]
		list.NextCursor = list.Items[size-1].ID.String()
	}
	return list, nil
}

// Revoke ends a key for good. A key that is revoked already stays as it is; an unknown one is not_found.
func (s *Service) Revoke(ctx context.Context, id oplog.ID, by string) error {
	var hash string
	err := s.DB.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		hash, err = s.revoke(ctx, tx, id, by)
		return err
	})
	if err != nil {
		return err
	}
	s.verifier.forget(hash)
	return nil
}

// revoke ends a key in a transaction, and returns its hash.
func (s *Service) revoke(ctx context.Context, tx *sqlx.Tx, id oplog.ID, by string) (hash string, err error) {
	const update = `UPDATE operator_keys SET revoked_ms = ?, revoked_by = ? WHERE key_id = ? AND revoked_ms = 0`
	res, err := tx.ExecContext(ctx, update, s.Clock().UnixMilli(), by, id)
	if err != nil {
		return "", fmt.Errorf("revoke key: %w", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return "", fmt.Errorf("revoke key: %w", err)
	}
	var key struct {
		Key
		Hash string `db:"hash"`
	}
	err = tx.GetContext(ctx, &key, `SELECT `+keyColumns+`, hash FROM operator_keys WHERE key_id = ?`, id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", problem.NotFound("key")
	case err != nil:
		return "", fmt.Errorf("select the revoked key: %w", err)
	}
	key.read()
	if n == 0 {
		return key.Hash, nil
	}
	before := key.Key
	before.RevokedAt, before.RevokedBy = 0, ""
	return key.Hash, oplog.Record(ctx, tx,
		oplog.Entry{Action: "key.revoked", On: "key:" + id.String(), Before: before, After: key.Key})
}
