package order

// What tests look at of records.
const (
	RecordVersion = recordVersion
	BundleVersion = bundleVersion
)

var (
	FieldVersions = fieldVersions
	LaterFields   = laterFields
	VersionOf     = versionOf
	DecodeStored  = decodeRecord
)
