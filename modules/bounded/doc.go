// Package bounded has maps that keep a bounded number of entries: a Map the most used ones, a Recent those that were
// used last.
package bounded
