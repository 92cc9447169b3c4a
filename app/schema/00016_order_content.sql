-- +goose Up
-- The part of an order that never changes, as JSON in the form of the API; lists copy it. It is NULL for orders
-- that older versions of the program store. The statement may run again after a crash, as in 00011.
ALTER TABLE orders ADD COLUMN /*M! IF NOT EXISTS */ content TEXT;

-- +goose Down
ALTER TABLE orders DROP COLUMN content;
