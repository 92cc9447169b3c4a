// Package limit decides which requests exceed a rate limit. Each instance keeps a bucket for each user and
// address (GCRA); a Judge, which all instances share, counts the requests that they let pass together. The
// bucket refuses requests over a limit, so a flood costs the Judge next to nothing. While the Judge is
// unavailable the buckets decide alone.
package limit
