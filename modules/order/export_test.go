package order

// What tests look at of records.
const RecordVersion = recordVersion

var (
	FieldVersions = fieldVersions
	LaterFields   = laterFields
	VersionOf     = versionOf
	DecodeStored  = decodeRecord
)
