package schema

// ChangesFor lets tests apply some of the changes that Up applies.
var ChangesFor = changesFor
