package sqldb

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/jmoiron/sqlx"
)

// Columns are the columns of a table that a struct holds: one per field with a tag `db` other than "-",
// in the order of the fields. They are what SELECT names, what INSERT names, and its values.
type Columns[T any] struct {
	// Names stands in statements: "number, user_id, …".
	Names string
	group string // a ? per column
	index []int  // of the fields
}

// ColumnsOf reads the tags of T. It panics where a field is neither a string, an integer nor a bool,
// so it is called when the program starts.
func ColumnsOf[T any]() Columns[T] {
	var c Columns[T]
	var names []string
	row := reflect.TypeFor[T]()
	for i := range row.NumField() {
		name := row.Field(i).Tag.Get("db")
		if name == "" || name == "-" {
			continue
		}
		if kind := row.Field(i).Type.Kind(); kind != reflect.String && kind != reflect.Int && kind != reflect.Int64 && kind != reflect.Bool {
			panic(fmt.Sprintf("column %s of %s: a value of kind %s can't be stored", name, row, kind))
		}
		names, c.index = append(names, name), append(c.index, i)
	}
	c.Names, c.group = strings.Join(names, ", "), "("+In(len(names))+")"
	return c
}

// Len is how many columns there are.
func (c Columns[T]) Len() int { return len(c.index) }

// AppendTo appends the values of a row to args.
func (c Columns[T]) AppendTo(args []any, row *T) []any {
	fields := reflect.ValueOf(row).Elem()
	for _, i := range c.index {
		// As the driver's own types: it looks longer at others.
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

// Insert inserts rows into a table, with few statements as the function Insert does. args are the values
// of all rows, as AppendTo appends them.
func (c Columns[T]) Insert(ctx context.Context, tx *sqlx.Tx, table string, args []any) error {
	return Insert(ctx, tx, `INSERT INTO `+table+` (`+c.Names+`) VALUES`, c.group, args)
}
