// Package operators registers the routes of operators: which scopes may call each, and how it is confined to the shop
// of an operator who belongs to one; and the address that only operators reach.
//
// An operator of one shop may call only the routes that Shops names. The handler there makes sure, before the route
// runs, that the request is about the operator's shop: Among selects the shop in a list, Of compares the thing in the
// path, and Unowned says that the route shows and changes nothing of any shop. A route whose body names the shop checks
// it in its transaction, by api.Outside.
package operators
