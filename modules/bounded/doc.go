// Package bounded has a Map that keeps a bounded number of entries, those that are used most.
package bounded
