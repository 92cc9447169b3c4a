package order

// Reasons why an order failed or its queue entry is dead.
const (
	ReasonNoStock     = "no_stock"     // no units are left in SQL: the order is stored as failed
	ReasonOverLimit   = "over_limit"   // its buyer has reached a limit: stored as failed, its units are given back
	ReasonNumberTaken = "number_taken" // SQL has this number with another task
	ReasonTaskTaken   = "task_taken"   // SQL has this task with another number
	ReasonBadEntry    = "bad_entry"    // the queue entry can't be read
	ReasonNoRecord    = "no_record"    // neither Redis nor SQL has the order of the entry
	ReasonBadRecord   = "bad_record"   // the record can't be read or doesn't match its entry
	ReasonNewerRecord = "newer_record" // a newer version wrote the record, which no instance took in time
	ReasonBadRow      = "bad_row"      // SQL refuses the order's own data
	ReasonNoActivity  = "no_activity"  // SQL doesn't have the order's activity
	ReasonDiscarded   = "discarded"    // an operator discarded the entry
)
