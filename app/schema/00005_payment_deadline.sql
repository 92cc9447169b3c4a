-- +goose Up
-- When nobody can pay a payment any more, which gateways are told.
ALTER TABLE payments ADD COLUMN expires_ms BIGINT NOT NULL DEFAULT 0;
UPDATE payments SET expires_ms = ask_ms;

-- +goose Down
ALTER TABLE payments DROP COLUMN expires_ms;
