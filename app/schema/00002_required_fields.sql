-- +goose Up
-- required_fields is a JSON list of names of fields that each order of the sku must have; empty for none.
ALTER TABLE skus ADD COLUMN required_fields VARCHAR(2000) NOT NULL DEFAULT '';
ALTER TABLE sale_skus ADD COLUMN required_fields VARCHAR(2000) NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE sale_skus DROP COLUMN required_fields;
ALTER TABLE skus DROP COLUMN required_fields;
