// Package planted builds the program with a bug in it and lets the drill find the bug.
package planted
