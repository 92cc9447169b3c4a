-- +goose Up
-- basket_max is how many skus of a sale one order may take; 0: one. The sku_id of an order of several skus, a basket, is
-- `<sku>*<units>,<sku>*<units>` with up to 10 skus, as lua.JoinTakes writes it, in stock_outbox after `~~b~`; its items
-- are in order_items from the start, not only after a refund.
-- Locks: nothing for long: adds a column to activities, a table of sales, which is small, and changes no row of the
-- tables with wider texts.
ALTER TABLE activities ADD COLUMN basket_max INT NOT NULL DEFAULT 0 /*! , ALGORITHM=INSTANT */;
/*! ALTER TABLE orders MODIFY COLUMN sku_id VARCHAR(760) NOT NULL, ALGORITHM=INPLACE, LOCK=NONE */;
/*! ALTER TABLE orders_archive MODIFY COLUMN sku_id VARCHAR(760) NOT NULL, ALGORITHM=INPLACE, LOCK=NONE */;
/*! ALTER TABLE stock_outbox MODIFY COLUMN sku_id VARCHAR(760) NOT NULL, ALGORITHM=INPLACE, LOCK=NONE */;

-- +goose Down
/*! ALTER TABLE stock_outbox MODIFY COLUMN sku_id VARCHAR(64) NOT NULL */;
/*! ALTER TABLE orders_archive MODIFY COLUMN sku_id VARCHAR(64) NOT NULL */;
/*! ALTER TABLE orders MODIFY COLUMN sku_id VARCHAR(64) NOT NULL */;
ALTER TABLE activities DROP COLUMN basket_max;
