package site

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

const (
	// settle is how long after a raise no sale gets one of the new lanes.
	settle = 5 * time.Second
	// freshFor is the age up to which an instance may use what it has read. It is far below settle, so that every
	// instance that uses its copy knows of a lane before a sale has it.
	freshFor = 2 * time.Second
	// keyBytes is the size of the key of order numbers, and idBytes the size of the site's id.
	keyBytes, idBytes = 32, 12
)

// Values are the row.
type Values struct {
	ID    string `db:"site_id" json:"id"`
	Lanes int    `db:"lanes" json:"lanes"`
	// LanesBefore is how many there were before the last raise, at RaisedMS.
	LanesBefore int    `db:"lanes_before" json:"lanes_before"`
	RaisedMS    int64  `db:"raised_ms" json:"raised_ms"`
	NumberKey   string `db:"number_key" json:"number_key"` // hexadecimal
}

// settled returns how many lanes sales may have: every instance reads them.
func (v *Values) settled(nowMS int64) int {
	if nowMS < v.RaisedMS+settle.Milliseconds() {
		return v.LanesBefore
	}
	return v.Lanes
}

const columns = `site_id, lanes, lanes_before, raised_ms, number_key`

// selectRow reads the row. If there is none, it inserts the row; of several instances that try at the same time, one
// succeeds.
func selectRow(ctx context.Context, db *sqldb.DB, lanes int, random io.Reader) (v Values, err error) {
	const query = `SELECT ` + columns + ` FROM site WHERE id = 1`
	err = db.Read.GetContext(ctx, &v, query)
	if errors.Is(err, sql.ErrNoRows) {
		if err = insertRow(ctx, db, lanes, random); err == nil {
			err = db.Read.GetContext(ctx, &v, query)
		}
	}
	if err != nil {
		return Values{}, fmt.Errorf("select the site: %w", err)
	}
	return v, nil
}

func insertRow(ctx context.Context, db *sqldb.DB, lanes int, random io.Reader) error {
	secret := make([]byte, idBytes+keyBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return fmt.Errorf("make the site: %w", err)
	}
	err := db.InTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO site (id, `+columns+`) VALUES (1, ?, ?, ?, 0, ?)`,
			hex.EncodeToString(secret[:idBytes]), lanes, lanes, hex.EncodeToString(secret[idBytes:]))
		return err
	})
	if sqldb.IsDuplicate(err) {
		return nil
	}
	return err
}

// raise raises the number of lanes to at least as many as given. Raises shortly after each other count as one, so that
// LanesBefore is what every instance knew before the first of them. MySQL assigns from left to right.
func raise(ctx context.Context, db *sqldb.DB, lanes int, nowMS int64) error {
	const update = `UPDATE site SET lanes_before = CASE WHEN raised_ms <= ? THEN lanes ELSE lanes_before END,
		lanes = ?, raised_ms = ? WHERE id = 1 AND lanes < ?`
	return db.InTx(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, update, nowMS-settle.Milliseconds(), lanes, nowMS, lanes); err != nil {
			return fmt.Errorf("raise the number of lanes to %d: %w", lanes, err)
		}
		return nil
	})
}

// usedLanes returns the highest lane that a sale has.
func usedLanes(ctx context.Context, db *sqldb.DB) (used int, err error) {
	if err := db.Read.GetContext(ctx, &used, `SELECT COALESCE(MAX(lane), 0) FROM activities`); err != nil {
		return 0, fmt.Errorf("select the highest lane: %w", err)
	}
	return used, nil
}

// Stored returns the row, which is zero if no instance has made it yet.
func Stored(ctx context.Context, db *sqldb.DB) (v Values, err error) {
	err = db.Read.GetContext(ctx, &v, `SELECT `+columns+` FROM site WHERE id = 1`)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Values{}, fmt.Errorf("select the site: %w", err)
	}
	return v, nil
}
