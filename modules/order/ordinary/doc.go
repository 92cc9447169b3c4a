// Package ordinary places orders outside of sales: of several skus, one order per shop, directly in SQL
// and all or none.
package ordinary
