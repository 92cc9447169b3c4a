-- +goose Up
-- The platform's own id of an order; '' where it gave none. Older versions of the program insert orders
-- without it. Each statement may run again after a crash, as in 00011.
ALTER TABLE orders ADD COLUMN /*M! IF NOT EXISTS */ client_reference VARCHAR(64) NOT NULL DEFAULT '';
CREATE INDEX /*M! IF NOT EXISTS */ orders_client_reference ON orders (client_reference, number);

-- +goose Down
DROP INDEX orders_client_reference /*! ON orders */;
ALTER TABLE orders DROP COLUMN client_reference;
