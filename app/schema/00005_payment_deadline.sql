-- +goose Up
-- When nobody can pay a payment any more, which gateways are told; 0 of those begun before this.
ALTER TABLE payments ADD COLUMN expires_ms BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE payments DROP COLUMN expires_ms;
