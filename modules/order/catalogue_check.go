package order

// validID says whether a text is an id of a sku, point, shop or region: [A-Za-z0-9-]{1,32}.
func validID(id string) bool {
	if id == "" || len(id) > 32 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}
