package order

// RecordItem is the item of a record.
var RecordItem = recordItem{}
