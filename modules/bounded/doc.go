// Package bounded has a map that keeps a bounded number of entries, those that were used last.
//
// A Map never refuses a new key, so it suits keys of which very many come at once and are used a few times, such as the
// buyers of a sale. An entry that is in use stays, whatever else comes: an entry is only removed if about half as many
// others as the bound allows were used since its last use.
package bounded
