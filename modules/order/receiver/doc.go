// Package receiver says by which texts operators find an order by the person whom its goods are sent to. They are
// columns of the order.
//
// The columns are not generated ones over the record: servers of MariaDB have crashed over indexes on virtual columns
// of several tables (MDEV-39261), and SQL alone can't fold names.
package receiver
