package myorders

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/jmoiron/sqlx"

	"onrush/modules/order"
	"onrush/modules/order/complete"
)

// fill completes the orders of the page: the records of cached ones, the contents that the first statement did
// not return, voucher codes, and fulfilments. These need not be of the same state of the store: voucher codes never
// change once they exist, and the others may be later ones. Records are read from the primary, since an order may have
// moved there just now, and the others from q. It removes and logs orders that can't be read, and reports whether the
// page is complete.
func (s *Service) fill(ctx context.Context, q sqlx.QueryerContext, user string, w *window) bool {
	complete := true
	vouchers := func(ctx context.Context, _ string, rows []Row) error { return s.fillVouchers(ctx, q, rows) }
	progress := func(ctx context.Context, _ string, rows []Row) error { return s.fillFulfilments(ctx, q, rows) }
	for _, step := range []func(context.Context, string, []Row) error{s.fillCached, s.fillStored, vouchers, progress} {
		if err := step(ctx, user, w.rows); err != nil {
			s.log.WarnContext(ctx, "orders can't be read; listing without them", slog.Any("error", err))
			complete = false
		}
	}
	readable := slices.DeleteFunc(w.rows, func(r Row) bool { return r.content == nil })
	complete = complete && len(readable) == len(w.rows)
	w.rows = readable
	return complete
}

// fillCached copies the contents of cached orders from their records.
func (s *Service) fillCached(ctx context.Context, user string, rows []Row) error {
	var unread []entry
	for _, r := range rows {
		if r.cached() && r.order == nil {
			unread = append(unread, entry{number: r.Number})
		}
	}
	records := map[order.Number]*order.Order{}
	if len(unread) > 0 {
		leave, err := s.cache.enter(ctx)
		if err != nil {
			return err
		}
		err = s.cache.fill(ctx, user, unread)
		leave()
		if err != nil {
			return err
		}
		for _, e := range unread {
			records[e.number] = e.order
		}
	}
	for i := range rows {
		r := &rows[i]
		if !r.cached() {
			continue
		}
		if r.order == nil {
			r.order = records[r.Number]
		}
		if r.order == nil {
			r.Source = order.FromSQL // moved since its number was read
			continue
		}
		r.content = order.ContentOf(r.order.Record())
	}
	return nil
}

// fillStored reads the stored orders that have no content yet.
func (s *Service) fillStored(ctx context.Context, user string, rows []Row) error {
	byNumber := map[order.Number]*Row{}
	var numbers []order.Number
	for i := range rows {
		if r := &rows[i]; r.content == nil {
			byNumber[r.Number], numbers = r, append(numbers, r.Number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	orders, err := order.SelectAll(ctx, s.db.Read, numbers)
	if err != nil && !errors.Is(err, order.ErrBadRecord) {
		return err
	}
	for _, o := range orders {
		r := byNumber[o.Number]
		if o.User != user {
			continue
		}
		r.State, r.content = order.StateOf(o), order.ContentOf(o.Record())
	}
	return err
}

// fillVouchers adds the codes of paid vouchers.
func (s *Service) fillVouchers(ctx context.Context, q sqlx.QueryerContext, rows []Row) error {
	byNumber := map[order.Number]*Row{}
	contents := map[order.Number]*order.Content{}
	var orders []*order.Order
	for i := range rows {
		r := &rows[i]
		if r.Status != order.Paid || !bytes.Contains(r.content, []byte(`"kind":"voucher"`)) {
			continue
		}
		content := &order.Content{}
		if err := json.Unmarshal(r.content, content); err != nil {
			return fmt.Errorf("read the content of order %s: %w", r.Number, err)
		}
		for line := range content.Items {
			content.Items[line].Line = line + 1
		}
		byNumber[r.Number], contents[r.Number] = r, content
		orders = append(orders, &order.Order{Number: r.Number, Status: r.Status, Content: *content})
	}
	if len(orders) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	if err := complete.FillVouchers(ctx, q, orders); err != nil {
		return err
	}
	for _, o := range orders {
		r := byNumber[o.Number]
		var err error
		if r.content, err = json.Marshal(contents[o.Number]); err != nil {
			return err
		}
		r.VoucherCode = order.FirstVoucher(o.Items)
	}
	return nil
}

// fillFulfilments adds how far the orders have come that were paid and are delivered.
func (s *Service) fillFulfilments(ctx context.Context, q sqlx.QueryerContext, rows []Row) error {
	var numbers []order.Number
	for i := range rows {
		if r := &rows[i]; r.PaidAt != 0 && !bytes.Contains(r.content, []byte(`"delivery":"none"`)) {
			numbers = append(numbers, r.Number)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	found, err := complete.Fulfilments(ctx, q, numbers)
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Fulfilment = found[rows[i].Number]
	}
	return nil
}
