// Package clock tells the time that all sales use: the clock of the stores, not the instance's own.
package clock
