// Package planted builds the program with a bug in it and lets the drill find the bug, or runs the test of a package
// that must find it. ONRUSH_PLANTED=all plants all bugs, which takes half a minute each; otherwise it is one of them.
package planted
