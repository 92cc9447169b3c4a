package vouchers

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jmoiron/sqlx"

	"onrush/modules/api"
	"onrush/modules/oplog"
	"onrush/modules/order"
	"onrush/modules/order/versions"
	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// View is a voucher in the operators' API.
type View struct {
	Code     string              `json:"voucher_code" db:"code"`
	Status   order.VoucherStatus `json:"status" db:"status"`
	Order    order.Number        `json:"order_number" db:"order_number"`
	User     string              `json:"user_id" db:"user_id"`
	SKU      string              `json:"sku_id" db:"sku_id"`
	Title    string              `json:"title" db:"title"`
	Shop     string              `json:"-" db:"-"`
	Redeemed api.Millis          `json:"redeemed_at,omitzero" db:"redeemed_ms"`
	Where    string              `json:"redeemed_where,omitempty" db:"redeemed_where"`
	By       string              `json:"redeemed_by,omitempty" db:"redeemed_by"`
}

// Service reads and redeems vouchers for operators, and keeps the codes of partners.
type Service struct {
	db  *sqldb.DB
	now func() time.Time
	log *slog.Logger

	lockVoucher func(ctx context.Context, tx *sqlx.Tx, sku string) error
}

// NewService returns a Service.
func NewService(d Deps) *Service {
	return &Service{db: d.DB, now: d.Now, log: d.Log, lockVoucher: d.LockVoucher}
}

// maxCode bounds a code in characters, as its column does.
const maxCode = 64

// Get returns a voucher; for an unknown code the error is not_found.
func (s *Service) Get(ctx context.Context, code string) (*View, error) {
	v, err := find(ctx, s.db.Read, code)
	if err != nil && !problem.Is(err) {
		return nil, problem.Unavailable(err, "The voucher can't be read right now.")
	}
	return v, err
}

// find reads a voucher. It compares the code again in Go, since MySQL ignores spaces at the end.
func find(ctx context.Context, q sqlx.QueryerContext, code string) (*View, error) {
	if code == "" || len(code) > maxCode || !problem.IsVisible(code) {
		return nil, problem.NotFound("voucher")
	}
	var v struct {
		View
		Line int `db:"line"`
	}
	const query = `SELECT code, CASE WHEN status = 'lost' THEN 'void' ELSE status END AS status,
		order_number, line, redeemed_ms, redeemed_where, redeemed_by FROM vouchers WHERE code = ?`
	err := sqlx.GetContext(ctx, q, &v, query, code)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, problem.NotFound("voucher")
	case err != nil:
		return nil, fmt.Errorf("select voucher: %w", err)
	case subtle.ConstantTimeCompare([]byte(v.Code), []byte(code)) != 1:
		return nil, problem.NotFound("voucher")
	}
	o, err := order.Select(ctx, q, v.Order)
	if err != nil {
		return nil, fmt.Errorf("select voucher: %w", err)
	}
	if v.Line > len(o.Items) {
		return nil, fmt.Errorf("select voucher: order %s has no line %d", o.Number, v.Line)
	}
	it := o.Items[v.Line-1]
	v.User, v.SKU, v.Title, v.Shop = o.User, it.SKU, it.Title, o.Shop
	return &v.View, nil
}

// Redeem redeems a voucher once, at a place such as a till. who is the operator, from the client's IP address. For a
// code that was redeemed before the error is voucher_redeemed, which says when, where and by whom. For a code whose
// unit was refunded, or whose payment is disputed, it is voucher_void.
func (s *Service) Redeem(ctx context.Context, who, from, code, where string) (*View, error) {
	found, err := s.Get(ctx, code)
	if err != nil {
		return nil, err
	}
	var v *View
	err = s.db.InTx(ctx, func(tx *sqlx.Tx) (err error) {
		if err := order.LockRow(ctx, tx, found.Order); err != nil {
			return err
		}
		by, at := "operator:"+who, s.now().UnixMilli()
		const update = `UPDATE vouchers SET status = 'redeemed', redeemed_ms = ?, redeemed_by = ?, redeemed_where = ?
			WHERE code = ? AND status = 'active'`
		res, err := tx.ExecContext(ctx, update, at, by, where, found.Code)
		if err != nil {
			return fmt.Errorf("redeem voucher: %w", err)
		}
		changed, err := res.RowsAffected()
		if err != nil {
			return fmt.Errorf("redeem voucher: %w", err)
		}
		if v, err = find(ctx, tx, found.Code); err != nil {
			return err
		}
		if changed != 1 {
			return refusal(v)
		}
		if err := order.AddLogLine(ctx, tx, order.LogLine{
			Order: v.Order, AtMS: at, Actor: by, Action: "voucher_redeemed", ClientIP: from,
		}); err != nil {
			return err
		}
		// Not by its code: whoever reads the record must not be able to redeem others.
		if err := oplog.Record(ctx, tx, oplog.Entry{
			Action: "voucher.redeemed", On: "order:" + v.Order.String(), After: map[string]string{"where": where},
		}); err != nil {
			return err
		}
		return versions.Raise(ctx, tx, v.User)
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// refusal says why a voucher can't be redeemed.
func refusal(v *View) error {
	switch v.Status {
	case order.VoucherRedeemed:
		return problem.Errorf(order.CodeVoucherRedeemed, "It was redeemed at %s, at %s, by %s.",
			v.Redeemed, v.Where, v.By)
	case order.VoucherDisputed:
		return problem.Errorf(CodeVoid, "The buyer's bank disputes its payment.")
	case order.VoucherActive, order.VoucherVoid, order.VoucherLost:
	}
	return problem.Errorf(CodeVoid, "Its unit was refunded, or the buyer's bank took the money back.")
}
