// Package planted builds the program with a bug in it and lets the drill find the bug. ONRUSH_PLANTED=all plants twice
// as many.
package planted
