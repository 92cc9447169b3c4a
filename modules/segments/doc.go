// Package segments has the sets of segments of buyers, such as members: those that a buyer's token names, and those that
// may buy in a sale.
package segments
