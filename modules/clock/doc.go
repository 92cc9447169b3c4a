// Package clock tells the time of the sales, which is the stores' and not the instance's own.
package clock
