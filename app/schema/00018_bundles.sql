-- +goose Up
-- parts makes a sku of a sale a bundle of other skus of it: `<sku>*<units>,<sku>*<units>` with 2 to 9 skus, as
-- lua.JoinTakes writes it; '': it is no bundle. A bundle has no rows in activity_stock. The sku_id of an order of a
-- bundle has `<bundle>=<how many>,` before its parts, and line 0 of its order_items is the bundle.
-- Locks: nothing for long: adds a column to activity_skus, a table of the goods of sales, which is small.
ALTER TABLE activity_skus ADD COLUMN parts VARCHAR(760) NOT NULL DEFAULT '' /*! , ALGORITHM=INSTANT */;

-- +goose Down
ALTER TABLE activity_skus DROP COLUMN parts;
