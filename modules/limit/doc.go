// Package limit decides which requests exceed a rate limit. Each instance keeps a bucket for each user and
// address (GCRA); a Judge, which all instances share, counts what they let pass together. Requests over a
// limit are refused from the bucket, so a flood costs the Judge next to nothing, and while the Judge is
// unavailable the buckets decide alone.
package limit
