package sqldb

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Columns are the columns of a table that a struct holds: one per field with a tag `db` other than "-",
// in the order of the fields. SELECT and INSERT statements use them.
type Columns[T any] struct {
	// Names is the list of columns for statements: "number, user_id, …".
	Names string
	group string // one ? per column
	index []int  // of the fields
}

// ColumnsOf reads the tags of T. It panics if a field is neither a string, an integer nor a bool, so
// call it when the program starts.
func ColumnsOf[T any]() Columns[T] {
	var c Columns[T]
	var names []string
	row := reflect.TypeFor[T]()
	for i := range row.NumField() {
		name := row.Field(i).Tag.Get("db")
		if name == "" || name == "-" {
			continue
		}
		if kind := row.Field(i).Type.Kind(); kind != reflect.String && kind != reflect.Int && kind != reflect.Int64 &&
			kind != reflect.Bool {
			panic(fmt.Sprintf("column %s of %s: a value of kind %s can't be stored", name, row, kind))
		}
		names, c.index = append(names, name), append(c.index, i)
	}
	c.Names, c.group = strings.Join(names, ", "), "("+In(len(names))+")"
	return c
}

// Len returns the number of columns that T has.
func (c Columns[T]) Len() int { return len(c.index) }

// AppendTo appends the values of a row to args.
func (c Columns[T]) AppendTo(args []any, row *T) []any {
	fields := reflect.ValueOf(row).Elem()
	for _, i := range c.index {
		// string, bool and int64 need no conversion by database/sql.
		switch field := fields.Field(i); field.Kind() {
		case reflect.String:
			args = append(args, field.String())
		case reflect.Bool:
			args = append(args, field.Bool())
		default:
			args = append(args, field.Int())
		}
	}
	return args
}

// Insert inserts rows into a table, in few statements like the function Insert. args are the values of
// all rows, as AppendTo appends them.
func (c Columns[T]) Insert(ctx context.Context, tx *sqlx.Tx, table string, args []any) error {
	return Insert(ctx, tx, `INSERT INTO `+table+` (`+c.Names+`) VALUES`, c.group, args)
}
