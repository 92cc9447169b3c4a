package idempotency

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/loop"
	"onrush/modules/problem"
	"onrush/modules/sign"
	"onrush/modules/sqldb"
)

const (
	// lease is how long a claim keeps others from running under its key after a crash. No operators' route has more
	// than a minute.
	lease = 70 * time.Second
	// firstWait and maxWait bound the pauses between the reads of a request that waits for the answer of another
	// request.
	firstWait, maxWait = 5 * time.Millisecond, 200 * time.Millisecond
)

// Callers is a kind of callers.
type Callers string

// The kinds of callers.
const (
	Buyers    Callers = "buyer"
	Operators Callers = "operator"
)

// Deps are the dependencies of a Store; the caller opens and closes them.
type Deps struct {
	DB *sqldb.DB
	// Clock is the stores' time, by which leases end.
	Clock func() time.Time
	// NewID returns a text that no other claim has.
	NewID func() string
	// Callers is the kind of callers. A caller of another kind may have the same id.
	Callers Callers
	// MaxPerCaller bounds the keys of a caller that are kept; 0: no bound. Beyond it a request must come without one.
	MaxPerCaller int
	// Secrets encrypt answers.
	Secrets sign.Secrets
}

// Store keeps Idempotency-Keys and the answers of their requests.
type Store struct {
	Deps
	keys sign.Keys
}

// NewStore returns the keys in d.DB.
func NewStore(d Deps) *Store { return &Store{d, sign.NewKeys("idempotency", d.Secrets)} }

// Request is a request with an Idempotency-Key. Route has the method and the path, Content all that must not differ
// when the request is repeated.
type Request struct {
	Caller, Route, Key string
	Content            string
}

func (r *Request) id() string { return sign.Digest(16, r.Caller, r.Route, r.Key) }

// Answer is the answer of an accepted request.
type Answer struct {
	Status int    `json:"status"`
	ETag   string `json:"etag,omitempty"`
	Body   []byte `json:"body"`
}

// row is a row of idempotency_keys. Status is 0 while the request is being carried out.
type row struct {
	Digest  string `db:"digest"`
	Claim   string `db:"claim"`
	LeaseMS int64  `db:"lease_ms"`
	Status  int    `db:"status"`
	Answer  string `db:"answer"`
}

// Begin claims the key of a request, which the caller then carries out, or returns the answer of an accepted request
// with this key. While another request runs under the key, Begin waits until ctx ends; then the error is unavailable.
// If a request with another content was accepted, the error is idempotency_key_reused.
func (s *Store) Begin(ctx context.Context, r Request) (*Claim, *Answer, error) {
	c := &Claim{
		store: s, request: r, id: r.id(), digest: sign.Digest(16, r.Content), token: sign.Digest(16, s.NewID()),
	}
	for wait := firstWait; ; wait = min(2*wait, maxWait) {
		had, err := c.find(ctx)
		claimed := false
		switch {
		case err != nil:
		case had == nil:
			claimed, err = c.insert(ctx)
		case had.Status != 0:
			answer, err := c.replay(had)
			return nil, answer, err
		case had.LeaseMS < s.Clock().UnixMilli():
			claimed, err = c.takeOver(ctx, had.Claim)
		}
		switch {
		case err != nil:
			return nil, nil, err
		case claimed:
			return c, nil, nil
		}
		if err := loop.Wait(ctx, wait); err != nil {
			return nil, nil, problem.Unavailable(err, "A request with this Idempotency-Key is being carried out.")
		}
	}
}

// Claim is the right to carry out the request of a key.
type Claim struct {
	store             *Store
	request           Request
	id, digest, token string
	dropped           bool
}

func (c *Claim) find(ctx context.Context) (*row, error) {
	var had row
	const query = `SELECT digest, claim, lease_ms, status, answer FROM idempotency_keys WHERE key_id = ?`
	err := c.store.DB.Write.GetContext(ctx, &had, query, c.id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil //nolint:nilnil // there is none
	case err != nil:
		return nil, fmt.Errorf("select an Idempotency-Key: %w", err)
	}
	return &had, nil
}

// replay returns the answer of an accepted request.
func (c *Claim) replay(had *row) (*Answer, error) {
	if had.Digest != c.digest {
		return nil, problem.Errorf(problem.CodeIdempotencyKeyReused,
			"This Idempotency-Key was used for another request.")
	}
	answer, err := c.store.open(c.request, had.Answer)
	if err != nil {
		return nil, &problem.Error{
			Code: problem.CodeConflict, Err: err,
			Detail: "A request with this Idempotency-Key was accepted, but its answer can't be shown again.",
		}
	}
	return answer, nil
}

// insert claims a key that nobody has used; it reports false if another request was faster.
func (c *Claim) insert(ctx context.Context) (bool, error) {
	now := c.store.Clock()
	err := c.store.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		if err := c.requireRoom(ctx, tx); err != nil {
			return err
		}
		const insert = `INSERT INTO idempotency_keys (key_id, caller, user_id, digest, claim, lease_ms, status,
			answer, created_ms) VALUES (?, ?, ?, ?, ?, ?, 0, '', ?)`
		_, err := tx.ExecContext(ctx, insert, c.id, c.store.Callers, c.request.Caller, c.digest, c.token,
			now.Add(lease).UnixMilli(), now.UnixMilli())
		return err
	})
	switch {
	case sqldb.IsDuplicate(err):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("insert an Idempotency-Key: %w", err)
	}
	return true, nil
}

// requireRoom refuses a caller who has too many keys. Several at once may pass together.
func (c *Claim) requireRoom(ctx context.Context, tx *sqlx.Tx) error {
	most := c.store.MaxPerCaller
	if most == 0 {
		return nil
	}
	var kept int
	const query = `SELECT COUNT(*) FROM
		(SELECT 1 FROM idempotency_keys WHERE user_id = ? AND caller = ? LIMIT ?) AS kept`
	if err := tx.GetContext(ctx, &kept, query, c.request.Caller, c.store.Callers, most); err != nil {
		return fmt.Errorf("count the Idempotency-Keys of a caller: %w", err)
	}
	if kept >= most {
		return problem.Errorf(problem.CodeRateLimited,
			"You have used too many Idempotency-Keys. Send this request without one.")
	}
	return nil
}

// takeOver claims a key whose claim has expired; it reports false if another request was faster.
func (c *Claim) takeOver(ctx context.Context, from string) (bool, error) {
	now := c.store.Clock()
	const update = `UPDATE idempotency_keys SET digest = ?, claim = ?, lease_ms = ?, created_ms = ?
		WHERE key_id = ? AND claim = ? AND status = 0`
	return c.exec(ctx, update, c.digest, c.token, now.Add(lease).UnixMilli(), now.UnixMilli(), c.id, from)
}

// Finish stores the answer of the accepted request. It does nothing if another request has taken over the claim.
func (c *Claim) Finish(ctx context.Context, a Answer) error {
	sealed, err := c.store.seal(c.request, a)
	if err != nil {
		return err
	}
	const update = `UPDATE idempotency_keys SET status = ?, answer = ? WHERE key_id = ? AND claim = ?`
	_, err = c.exec(ctx, update, a.Status, sealed, c.id, c.token)
	return err
}

// Release forgets the key of a refused request, unless its transaction kept an answer.
func (c *Claim) Release(ctx context.Context) error {
	_, err := c.exec(ctx, `DELETE FROM idempotency_keys WHERE key_id = ? AND claim = ? AND status = 0`, c.id, c.token)
	return err
}

// exec runs a statement on the row of the claim, and reports whether it changed the row.
func (c *Claim) exec(ctx context.Context, query string, args ...any) (changed bool, err error) {
	err = c.store.DB.InTx(ctx, func(tx *sqlx.Tx) error {
		changed, err = execRow(ctx, tx, query, args...)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("change an Idempotency-Key: %w", err)
	}
	return changed, nil
}

func execRow(ctx context.Context, tx *sqlx.Tx, query string, args ...any) (changed bool, err error) {
	res, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
