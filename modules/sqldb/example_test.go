package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"onrush/modules/sqldb"
)

func ExampleColumnsOf() {
	type sku struct {
		ID    string `db:"sku_id"`
		Price int64  `db:"price"`
	}
	columns := sqldb.ColumnsOf[sku]()
	fmt.Println("SELECT " + columns.Names + " FROM skus")
	fmt.Println(columns.AppendTo(nil, &sku{ID: "lamp", Price: 1990})...)
	// Output:
	// SELECT sku_id, price FROM skus
	// lamp 1990
}

func ExampleColumns_Insert() {
	type sku struct {
		ID    string `db:"sku_id"`
		Price int64  `db:"price"`
	}
	columns := sqldb.ColumnsOf[sku]()
	insert := func(ctx context.Context, dir string) (err error) {
		db, err := sqldb.OpenSQLite(ctx, filepath.Join(dir, "shop.db"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, db.Close()) }()
		const table = `CREATE TABLE skus (sku_id TEXT PRIMARY KEY, price INTEGER NOT NULL)`
		if _, err := db.Write.ExecContext(ctx, table); err != nil {
			return err
		}
		return db.InTx(ctx, func(tx *sqlx.Tx) error {
			args := columns.AppendTo(nil, &sku{ID: "desk", Price: 49900})
			args = columns.AppendTo(args, &sku{ID: "lamp", Price: 1990})
			if err := columns.Insert(ctx, tx, "skus", args); err != nil {
				return err
			}
			var stored []sku
			if err := tx.SelectContext(ctx, &stored, `SELECT `+columns.Names+` FROM skus ORDER BY sku_id`); err != nil {
				return err
			}
			fmt.Println(stored)
			return nil
		})
	}
	dir, err := os.MkdirTemp("", "example")
	if err == nil {
		err = errors.Join(insert(context.Background(), dir), os.RemoveAll(dir))
	}
	fmt.Println(err)
	// Output:
	// [{desk 49900} {lamp 1990}]
	// <nil>
}

func ExampleWhere() {
	status, channel := "failed", ""
	var where sqldb.Where
	where.AndIf(status != "", "status = ?", status)
	where.AndIf(channel != "", "channel = ?", channel)
	fmt.Println("SELECT refund_number FROM refunds" + where.String() + " LIMIT ?")
	fmt.Println(where.Args(100)...)
	// Output:
	// SELECT refund_number FROM refunds WHERE status = ? LIMIT ?
	// failed 100
}
