package vouchers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/idempotency"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

const (
	// MaxCodes bounds the codes of one import or withdrawal.
	MaxCodes = 10_000
	// codesAtOnce is how many codes one statement looks up.
	codesAtOnce = 500
	// maxNamed bounds the texts of an import that are named as no codes.
	maxNamed = 100
	// importTries is how often an import begins again because another import has stored one of the same codes
	// meanwhile.
	importTries = 3
)

// Imported is what became of the codes of an import.
type Imported struct {
	SKU      string    `json:"sku_id"`
	Accepted int       `json:"accepted"`
	Skipped  []Skipped `json:"skipped"` // in the order of the request
}

// Skipped is a code of an import that was not stored.
type Skipped struct {
	Index  int        `json:"index"` // in the request, from 0
	Reason SkipReason `json:"reason"`
}

// SkipReason says why a code was not stored.
type SkipReason string

// The reasons to skip a code.
const (
	Repeated SkipReason = "repeated" // an earlier line of the request has it
	Known    SkipReason = "known"    // it was imported before, or was given to a buyer
)

// errTaken says that another import has stored a code meanwhile.
var errTaken = errors.New("another import has one of the codes")

// Import adds a partner's codes to the codes of a sku, in their order, and skips codes that are known. From the first
// import on, even of an empty list, all codes of the sku are imported codes. Then it gives codes to the orders that
// wait. Errors: not_found for an unknown sku, a conflict if it is no voucher, and invalid_request for a text that is no
// code.
func (s *Service) Import(ctx context.Context, sku string, codes []string) (Imported, error) {
	if err := checkCodes(codes); err != nil {
		return Imported{}, err
	}
	var imported Imported
	err := errTaken
	for try := 0; try < importTries && errors.Is(err, errTaken); try++ {
		err = s.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
			if err := s.lockVoucher(ctx, tx, sku); err != nil { // before its pool, as who deletes the sku does
				return err
			}
			imported, err = importCodes(ctx, tx, sku, codes)
			return err
		})
		if sqldb.IsDuplicate(err) {
			err = errTaken
		}
	}
	if err != nil {
		return Imported{}, err
	}
	if _, err := s.give(ctx, sku); err != nil { // the job gives them
		s.log.WarnContext(ctx, "imported codes are not given to orders that wait yet", slog.Any("error", err))
	}
	return imported, nil
}

// checkCodes refuses texts that are no codes.
func checkCodes(codes []string) error {
	var c problem.Checks
	for i, code := range codes {
		fits := code != "" && len(code) <= maxCode && problem.IsVisible(code)
		c.That(fits && code != "." && code != "..", fmt.Sprintf("codes[%d]", i), // no path has these two
			"must have 1 to %d visible ASCII characters and no space", maxCode)
		if len(c) == maxNamed {
			break
		}
	}
	return c.Err()
}

// importCodes stores codes in a transaction.
func importCodes(ctx context.Context, tx *sqlx.Tx, sku string, codes []string) (Imported, error) {
	done := Imported{SKU: sku, Skipped: []Skipped{}}
	if err := openPool(ctx, tx, sku); err != nil {
		return done, err
	}
	fresh, indices := []string{}, map[string]int{}
	for i, code := range codes {
		if _, twice := indices[code]; twice {
			done.Skipped = append(done.Skipped, Skipped{i, Repeated})
			continue
		}
		indices[code] = i
		fresh = append(fresh, code)
	}
	known := map[string]bool{}
	for _, query := range []string{amongLeft, amongGiven} { // in this order, since codes move from left to given
		if err := addKnown(ctx, tx, known, query, fresh); err != nil {
			return done, err
		}
	}
	fresh = slices.DeleteFunc(fresh, func(code string) bool {
		if known[code] {
			done.Skipped = append(done.Skipped, Skipped{indices[code], Known})
		}
		return known[code]
	})
	slices.SortFunc(done.Skipped, func(a, b Skipped) int { return a.Index - b.Index })
	done.Accepted = len(fresh)
	if err := addCodes(ctx, tx, sku, fresh); err != nil {
		return done, err
	}
	// A code of another sku that was moved to vouchers since it was looked up. Nothing moves there from now on: this
	// transaction has the codes.
	moved := map[string]bool{}
	if err := addKnown(ctx, tx, moved, amongGiven, fresh); err != nil {
		return done, err
	}
	if len(moved) > 0 {
		return done, errTaken
	}
	if err := oplog.Record(ctx, tx, oplog.Entry{
		Action: "vouchers.imported", On: "sku:" + sku, After: map[string]int{"codes": done.Accepted},
	}); err != nil {
		return done, err
	}
	return done, idempotency.Keep(ctx, tx, http.StatusOK, done)
}

// openPool locks the pool of a sku, and makes one if there is none.
func openPool(ctx context.Context, tx *sqlx.Tx, sku string) error {
	_, pooled, err := order.LockPool(ctx, tx, sku)
	if err != nil || pooled {
		return err
	}
	const insert = `INSERT INTO voucher_pools (sku_id, imported, given, withdrawn) VALUES (?, 0, 0, 0)`
	if _, err := tx.ExecContext(ctx, insert, sku); err != nil {
		return fmt.Errorf("begin the codes of %s: %w", sku, err)
	}
	return nil
}

const (
	amongLeft  = `SELECT code FROM voucher_codes WHERE code IN (`
	amongGiven = `SELECT code FROM vouchers WHERE code IN (`
)

// addKnown adds those codes that are in the table of a query.
func addKnown(ctx context.Context, tx *sqlx.Tx, known map[string]bool, query string, codes []string) error {
	for some := range slices.Chunk(codes, codesAtOnce) {
		var found []string
		if err := tx.SelectContext(ctx, &found, query+sqldb.In(len(some))+`)`, sqldb.Args(some)...); err != nil {
			return fmt.Errorf("look up %d codes: %w", len(some), err)
		}
		for _, code := range found {
			known[code] = true
		}
	}
	return nil
}

// addCodes appends codes to a pool, which is locked.
func addCodes(ctx context.Context, tx *sqlx.Tx, sku string, codes []string) error {
	var last int64
	if err := tx.GetContext(ctx, &last, `SELECT imported FROM voucher_pools WHERE sku_id = ?`, sku); err != nil {
		return fmt.Errorf("count the imported codes of %s: %w", sku, err)
	}
	args := make([]any, 0, 3*len(codes))
	for i, code := range codes {
		args = append(args, sku, last+int64(i)+1, code)
	}
	const insert = `INSERT INTO voucher_codes (sku_id, position, code) VALUES`
	if err := sqldb.Insert(ctx, tx, insert, "(?,?,?)", args); err != nil {
		return fmt.Errorf("insert %d codes of %s: %w", len(codes), sku, err)
	}
	const count = `UPDATE voucher_pools SET imported = imported + ? WHERE sku_id = ?`
	if _, err := tx.ExecContext(ctx, count, len(codes), sku); err != nil {
		return fmt.Errorf("count %d codes of %s: %w", len(codes), sku, err)
	}
	return nil
}
