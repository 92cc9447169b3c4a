// Package site has what all instances share for as long as the site exists: its id, the number of lanes, and the key of
// order numbers. It is one row in SQL, which the first instance makes, with a copy in Redis for instances that start
// while SQL is unavailable. SQL wins as soon as it answers. Each instance reads it twice a second; none of it depends
// on a setting or a secret that instances may disagree about.
//
// The number of lanes only grows. ONRUSH_LANES asks for at least so many: an instance with a higher setting raises the
// row, an instance with a lower one uses the number in the row. So instances may get the setting one after the other,
// and it may be set back. Sales get a new lane only some seconds after the row was raised, when every instance reads
// the lane and moves its orders.
package site
