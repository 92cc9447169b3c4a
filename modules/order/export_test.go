package order

// What tests look at of records.
const RecordVersion, BundleVersion = recordVersion, bundleVersion

var (
	VersionOf    = versionOf
	DecodeStored = decodeRecord
)
