//go:build !unix

package embedded

// Lock does nothing here: there is no lock that ends with its process.
func Lock(dataDir string) (unlock func(), err error) { return func() {}, makeDir(dataDir) }
