// Package admin lets operators manage flash sales: draft an activity, publish it, take it offline, and watch
// its figures.
package admin
