// Package ordinary places orders outside of sales, directly in SQL. A request with several skus becomes one
// order per shop; all of them are placed, or none.
package ordinary
