// Package segments has sets of segments of buyers, such as members: the set that a buyer's token names, and the set
// that a sale is for.
package segments
