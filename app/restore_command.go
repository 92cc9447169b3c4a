package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"onrush/app/restore"
	"onrush/app/schema"
	"onrush/modules/sheet"
	"onrush/modules/sqldb"
)

// restoreCommand finishes a restore; docs/operating/backup.md has the steps before it.
type restoreCommand struct {
	serverSettings

	Out string `help:"Write the lost orders to a new file, only if the restore succeeds; else to standard output."`
}

// Run pauses the sales, raises what must not be given out again, and writes the lost orders as CSV.
func (c *restoreCommand) Run(ctx context.Context, out io.Writer) error {
	if c.Out == "" {
		return c.finish(ctx, out)
	}
	if _, err := os.Lstat(c.Out); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("restore: %s may be of an earlier restore: give another name", c.Out), err)
	}
	file, err := os.CreateTemp(filepath.Dir(c.Out), ".lost-*.csv")
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := errors.Join(c.finish(ctx, file), file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Link(file.Name(), c.Out) // unlike a rename, it replaces no file
}

// finish writes the lost orders to out.
func (c *restoreCommand) finish(ctx context.Context, out io.Writer) error {
	if err := c.restored(ctx); err != nil {
		return err
	}
	parts, s, closeStores, err := openReal(ctx, &c.Config)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	defer closeStores()
	rows := bufio.NewWriter(out)
	header := []string{"activity_id", "order_number", "sku_id", "point_id", "quantity", "user_id", "state"}
	row := sheet.AppendRow(nil, header, header)
	if _, err := rows.Write(row); err != nil {
		return err
	}
	done, err := restore.Finish(ctx, restore.Stores{
		DB: parts.DB, Redis: parts.Redis, Keys: parts.Keys, Pause: func(ctx context.Context, id string) error {
			_, err := s.Activities.Pause(ctx, id)
			return err
		},
	}, func(l restore.Lost) error {
		row = sheet.AppendRow(row[:0], header, []string{
			l.Activity, l.Number, l.SKU, l.Point, strconv.FormatInt(l.Quantity, 10), l.User, l.State,
		})
		_, err := rows.Write(row)
		return err
	})
	if err := errors.Join(err, rows.Flush()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(os.Stderr,
		"Sales paused: %d. Orders that Redis knows and SQL lost: %d. Sales that SQL lost: %d.\n",
		done.Paused, done.Lost, done.LostSales)
	return err
}

// restored fails if the database has no schema: then no backup was read into it, or the client stopped at the first
// tables. To open the stores would make the tables that are missing, and hide that.
func (c *restoreCommand) restored(ctx context.Context) error {
	if c.Embedded() {
		return nil // openReal refuses it
	}
	db, err := sqldb.OpenMySQL(ctx, c.MySQLDSN, 8)
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	state, err := schema.Read(ctx, db)
	if err == nil && !state.Begun() {
		err = errors.New("restore: the database has no schema: restore the whole backup into it first")
	}
	return errors.Join(c.AdviseOnSchema(err), db.Close())
}
