package delivery

// RefusalOf says why no connection to an address is made; "" if one is.
func RefusalOf(address string) string {
	if err := (&targets{}).control("tcp", address, nil); err != nil {
		return err.Error()
	}
	return ""
}
