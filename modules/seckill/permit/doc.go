// Package permit issues the order permits of sales. take_permit.lua decides. While all permits of a sku are
// issued, an instance refuses users without a permit from memory. At most every 20 ms it reads whether all permits
// are still issued, and which users have got one since, on any instance. At most once a second it reads all permits in
// the background, to forget users whose permits were used or have expired. For a user with a permit the script is
// always called, and returns the same permit again.
package permit
