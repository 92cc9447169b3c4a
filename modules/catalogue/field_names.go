package catalogue

import (
	"database/sql/driver"
	"fmt"

	"onrush/modules/problem"
	"onrush/modules/sqldb"
)

// FieldNames are names of the fields of an order that a sku requires, such as the account that virtual goods are for.
type FieldNames []string

// maxFieldNames and maxFieldName bound the names, as orders do their fields; maxFieldsJSON bounds the column.
const maxFieldNames, maxFieldName, maxFieldsJSON = 20, 64, 2000

// Value writes the names as SQL keeps them.
func (n FieldNames) Value() (driver.Value, error) { return sqldb.ListJSON(n) }

// Scan reads what Value writes.
func (n *FieldNames) Scan(column any) error { return sqldb.ScanJSON(column, n) }

func (n FieldNames) check(c *problem.Checks) {
	c.That(len(n) <= maxFieldNames, "required_fields", "must have at most %d items", maxFieldNames)
	text, err := n.Value()
	written, _ := text.(string)
	c.That(err == nil && len(written) <= maxFieldsJSON, "required_fields", "must have at most %d bytes of JSON",
		maxFieldsJSON)
	seen := map[string]bool{}
	for i, name := range n[:min(len(n), maxFieldNames)] {
		field := fmt.Sprintf("required_fields[%d]", i)
		c.Text(field, name, 1, maxFieldName)
		c.That(!seen[name], field, "is a duplicate")
		seen[name] = true
	}
}
