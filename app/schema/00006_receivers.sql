-- +goose Up
-- The receiver of an order, as modules/order/receiver writes phones and names: operators find orders by their beginnings.
-- Both are empty without an address, and '?' of an order that an older version stored, until a job fills them.
-- Locks: nothing for long: adds columns and indexes to orders and orders_archive, while orders are placed and paid.
ALTER TABLE orders ADD COLUMN receiver_phone VARCHAR(40) NOT NULL DEFAULT '?' /*! , ALGORITHM=INSTANT */;
ALTER TABLE orders ADD COLUMN receiver_name VARCHAR(64) NOT NULL DEFAULT '?' /*! , ALGORITHM=INSTANT */;
ALTER TABLE orders_archive ADD COLUMN receiver_phone VARCHAR(40) NOT NULL DEFAULT '?' /*! , ALGORITHM=INSTANT */;
ALTER TABLE orders_archive ADD COLUMN receiver_name VARCHAR(64) NOT NULL DEFAULT '?' /*! , ALGORITHM=INSTANT */;
CREATE INDEX orders_receiver_phone ON orders (receiver_phone, number) /*! ALGORITHM=INPLACE LOCK=NONE */;
CREATE INDEX orders_receiver_name ON orders (receiver_name, number) /*! ALGORITHM=INPLACE LOCK=NONE */;
CREATE INDEX orders_archive_phone ON orders_archive (receiver_phone, number) /*! ALGORITHM=INPLACE LOCK=NONE */;
CREATE INDEX orders_archive_name ON orders_archive (receiver_name, number) /*! ALGORITHM=INPLACE LOCK=NONE */;

-- +goose Down
DROP INDEX orders_archive_name /*! ON orders_archive */;
DROP INDEX orders_archive_phone /*! ON orders_archive */;
DROP INDEX orders_receiver_name /*! ON orders */;
DROP INDEX orders_receiver_phone /*! ON orders */;
ALTER TABLE orders_archive DROP COLUMN receiver_name;
ALTER TABLE orders_archive DROP COLUMN receiver_phone;
ALTER TABLE orders DROP COLUMN receiver_name;
ALTER TABLE orders DROP COLUMN receiver_phone;
