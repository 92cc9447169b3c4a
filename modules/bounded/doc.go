// Package bounded has a Map that keeps a bounded number of entries, the most used ones.
package bounded
