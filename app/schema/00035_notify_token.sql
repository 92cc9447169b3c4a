-- +goose Up
-- With which the platform may notify the buyer of the order, such as the form id of a mini program.
ALTER TABLE orders ADD COLUMN /*M! IF NOT EXISTS */ notify_token VARCHAR(128) NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE orders DROP COLUMN notify_token;
