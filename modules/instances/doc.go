// Package instances gathers in Redis what the instances of the program tell of themselves: that they run, which stores
// they reach, and which requests they have refused. Requests cost nothing more: every two seconds, each instance writes
// with one pipeline.
package instances
