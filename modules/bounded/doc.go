// Package bounded has maps that keep a bounded number of entries: a Map keeps the entries that are used most, a Recent
// the entries that were used last.
package bounded
