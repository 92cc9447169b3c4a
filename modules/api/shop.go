package api

import "context"

type shopKey struct{}

// WithShop confines the work of a request to its operator's shop. An empty shop confines nothing.
func WithShop(ctx context.Context, shop string) context.Context {
	if shop == "" {
		return ctx
	}
	return context.WithValue(ctx, shopKey{}, shop)
}

// ShopOf returns the shop to which the work is confined; "" for all shops.
func ShopOf(ctx context.Context) string {
	shop, _ := ctx.Value(shopKey{}).(string)
	return shop
}

// Outside reports whether the work is confined to another shop than this one.
func Outside(ctx context.Context, shop string) bool {
	own := ShopOf(ctx)
	return own != "" && own != shop
}
