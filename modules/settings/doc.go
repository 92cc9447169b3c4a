// Package settings has what operators change while the program runs, for all instances: rate limits, the level of the
// log, what instances turn off under load, and a stop of all sales.
//
// The settings are one row in SQL. Each instance has a copy, which it brings up to date twice a second with one read,
// and which requests read without a store. While SQL is unavailable, an instance uses the last copy that it has.
package settings
